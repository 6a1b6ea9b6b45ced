import { chooseZone, useZoneChoice, zoneChoices } from "../format/zone.ts";
import { text } from "../text/text.ts";
import { Segments } from "../ui/act/segments.tsx";

/** UTC, or the clock of the reader's device. */
export function ZoneSwitch() {
  return (
    <Segments
      label={text.zone.name}
      choices={zoneChoices}
      chosen={useZoneChoice()}
      wordsOf={(choice) => text.zone[choice]}
      onChoose={chooseZone}
    />
  );
}
