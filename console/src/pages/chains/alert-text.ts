import { durationText } from "../../format/time.ts";
import { fill, text, wordOf } from "../../text/text.ts";
import type { ChainStatus } from "./status.ts";

type Alert = ChainStatus["alerts"][number];

/**
 * An alert in the page's language, by its kind and the values of its chain. The API's own sentence
 * is the English one.
 */
export function alertText(of: ChainStatus, { kind, summary }: Alert): string {
  const words: Readonly<Partial<Record<Alert["kind"], string>>> = text.alert;
  const said = words[kind];
  if (said === undefined) return summary;
  return fill(said, {
    chain: of.name,
    endpoint: of.endpoints?.find(({ name }) => summary.includes(` ${name} of `))?.name ?? "–",
    code: of.stopped?.code ?? "–",
    lag: durationText((of.lag_seconds ?? 0) * 1000),
    why: of.held === null ? "–" : wordOf(text.heldWhy, of.held.why),
    discrepancies: of.discrepancies,
    unproven: of.unproven,
    upgrade: of.upgrade?.name ?? "–",
  });
}

/** Why a chain is stopped and what to do, in the page's language. */
export function stoppedText({ code, reason, remedy }: NonNullable<ChainStatus["stopped"]>): string {
  const words: Readonly<Record<string, string>> = text.fault;
  return words[code] ?? `${reason} ${remedy}`;
}
