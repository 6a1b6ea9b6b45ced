import { useLayoutEffect, useState } from "preact/hooks";
import { store, stored } from "../browser/stored.ts";

export const zoneChoices = ["utc", "local"] as const;
export type ZoneChoice = (typeof zoneChoices)[number];

const key = "chainbell-zone";
const watchers = new Set<() => void>();

/** The clock that times are shown by: the choice of this browser, or UTC where there is none. */
export function chosenZone(): ZoneChoice {
  return stored(key) === "local" ? "local" : "utc";
}

/** The IANA name of a choice's zone, such as `Europe/Berlin`. */
export function zoneOf(choice: ZoneChoice): string {
  return choice === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Chooses the clock for this browser. Everything below `useZoneChoice` shows its times anew. */
export function chooseZone(choice: ZoneChoice): void {
  store(key, choice);
  for (const watcher of watchers) watcher();
}

/** The clock that was chosen, followed as it changes. */
export function useZoneChoice(): ZoneChoice {
  const [choice, setChoice] = useState(chosenZone);
  useLayoutEffect(() => {
    const follow = () => setChoice(chosenZone());
    watchers.add(follow);
    return () => {
      watchers.delete(follow);
    };
  }, []);
  return choice;
}
