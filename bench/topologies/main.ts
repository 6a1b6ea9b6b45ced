// What operators put around Chainbell, and what happens to it: deposits five times a second in
// production mode, before, while and after a fault lasts for a minute. Prints for each fault what
// was notified, twice, lost and late, what was logged, and whether readiness said so. Ends with 1
// where a deposit is lost or has two ids, where more than ten lines of trouble are logged in a
// second, or where nothing arrived for longer than 30 s and the daemon was ready all the time, or
// for longer than is promised of the fault.
// Usage: node scripts/run.mjs topologies [--fault NAME,NAME] [--seconds 60]
import { parseArgs } from "node:util";
import type { Fault } from "./fault.ts";
import { faults } from "./faults/all.ts";
import { play, type Seen } from "./play.ts";

const { values } = parseArgs({
  options: {
    fault: { type: "string", multiple: true },
    seconds: { type: "string", default: "60" },
  },
});
const mostLines = 10;
const knownWithin = 30;

const asked = values.fault?.flatMap((names) => names.split(","));
const unknown = asked?.filter((name) => !Object.hasOwn(faults, name)) ?? [];
if (unknown.length > 0)
  throw new Error(`${unknown.join(", ")}: a fault is one of ${Object.keys(faults).join(", ")}`);
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error("--seconds is a number above 0");
let isRight = true;
console.log(
  "| fault | paid | notified | two ids | same id again | late | longest | silent | warnings | ready |\n|---|---|---|---|---|---|---|---|---|---|",
);
for (const [name, fault] of Object.entries(faults)) {
  if (asked !== undefined && !asked.includes(name)) continue;
  const seen = await play(fault, seconds * 1_000);
  const wrong = wrongIn(fault, seen);
  isRight &&= wrong.length === 0;
  console.log(rowOf(fault.about, seen, wrong));
}
process.exit(isRight ? 0 : 1);

function wrongIn({ resumesWithin }: Fault, seen: Seen): string[] {
  const { paid, notified, twice, silent, holds, lines, unreadyAfter, readyAfter } = seen;
  const isKnown = unreadyAfter !== null && unreadyAfter <= knownWithin;
  return [
    ...(notified < paid ? [`${paid - notified} lost`] : []),
    ...(twice > 0 ? [`${twice} under two ids`] : []),
    ...(lines.perSecond > mostLines ? ["too many lines"] : []),
    ...(silent > knownWithin && !isKnown && !holds ? ["ready while nothing arrived"] : []),
    ...(silent > (resumesWithin ?? Number.POSITIVE_INFINITY)
      ? [`nothing for longer than ${resumesWithin} s`]
      : []),
    ...(readyAfter === null || readyAfter > knownWithin ? ["not ready again"] : []),
  ];
}

function rowOf(about: string, seen: Seen, wrong: readonly string[]): string {
  const { paid, notified, twice, again, late, longest, silent, lines } = seen;
  const inSeconds = (value: number) => `${value.toFixed(1)} s`;
  const ready =
    seen.unreadyAfter === null
      ? "throughout"
      : `not after ${inSeconds(seen.unreadyAfter)}, again ${seen.readyAfter === null ? "never" : inSeconds(seen.readyAfter)} after its end`;
  const cells = [
    about,
    ...[paid, notified, twice, again, late].map(String),
    ...[inSeconds(longest), inSeconds(silent)],
    `${lines.troubled} of ${lines.all} lines`,
    `${ready}${wrong.length === 0 ? "" : ` **wrong: ${wrong.join(", ")}**`}`,
  ];
  return `| ${cells.join(" | ")} |`;
}
