import { groupDigits } from "../../format/amount.ts";
import { durationText, utcDay } from "../../format/time.ts";
import { fill, text, wordOf } from "../../text/text.ts";
import type { components } from "../../wire/generated/api-paths.ts";

/** Something that an operator has to know of, as the API answers it. */
export type Alert = components["schemas"]["Alert"];

/** An alert in the page's language, worded from its kind and its values. */
export function alertText({ kind, summary, chain, endpoint, asset, values }: Alert): string {
  const words: Readonly<Record<Alert["kind"], string>> = text.alert;
  // A newer process may know a kind that this page does not.
  return fill(words[kind] ?? summary, {
    chain: chain ?? "–",
    endpoint: endpoint ?? "–",
    asset: asset ?? "–",
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => shownValue(name, value))),
  });
}

/** A value under the name that texts have for it: a length of time has no unit in its name. */
function shownValue(name: string, value: string | number): [name: string, shown: string] {
  if (typeof value === "string") return [name, wordIn(name, value)];
  if (name.endsWith("_seconds")) return [name.slice(0, -8), durationText(value * 1000)];
  if (name.endsWith("_ms")) return [name.slice(0, -3), durationText(value)];
  return [name, groupDigits(String(value))];
}

function wordIn(name: string, value: string): string {
  if (name === "what") return wordOf(text.heldWhat, value);
  if (name === "why") return wordOf(text.heldWhy, value);
  return name === "at" ? utcDay(value) : value;
}
