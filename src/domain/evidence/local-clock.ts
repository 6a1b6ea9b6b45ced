/**
 * Makes a function that writes moments as a zone's clock shows them, each with the zone's offset at
 * that moment.
 */
export function localClock(zone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const offset = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  return (moment) => {
    const part = offset.formatToParts(moment).find(({ type }) => type === "timeZoneName");
    return `${format.format(moment)} ${part?.value ?? zone}`;
  };
}
