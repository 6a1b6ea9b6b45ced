import { keysOf } from "../../../src/domain/keys-of.ts";
import { logEvents } from "../../../src/runtime/log-events.ts";
import { table, withContents } from "./markdown.ts";

const head = `# Log events

Every line that the daemon logs. A line is JSON: \`level\`, \`time\`, \`msg\` with the event, and its fields. \`LOG_LEVEL\` of
the [environment](contract.md#environment) says from which level on. This page is made from the table of events. Do not
edit it here: run \`npm test -- unit/docs -u\`.

A warning or an error with an \`error\` is written once, and again after a minute at the earliest. \`repeated\` then says
how often it came meanwhile. \`chainbell_warnings_total\` of the [metrics](metrics.md) counts all of them by event.
`;

const titles = {
  error: "Errors",
  warn: "Warnings",
  info: "Information",
  debug: "Debugging",
} satisfies Record<keyof typeof logEvents, string>;

/** docs/log-events.md. */
export function logEventsPage(): string {
  const parts = keysOf(titles).map((level) => {
    const rows = Object.entries(logEvents[level]).map(([event, says]) => [`\`${event}\``, says]);
    return `## ${titles[level]}\n\n${table(["event", "what it says"], rows)}`;
  });
  return withContents(`${head}\n${parts.join("\n")}`);
}
