import { prettyFactory } from "pino-pretty";
import type { LogDestination } from "../runtime/logger.ts";
import { shownJson } from "../runtime/shown-text.ts";

/** The log of a developer at a terminal. */
export function prettyDestination(stream: NodeJS.WriteStream): LogDestination {
  const pretty = prettyLines({ isColoured: stream.hasColors() });
  return { write: (line) => stream.write(pretty(line)) };
}

/** Makes the lines of a log readable in a terminal: time, level, message and fields in one line. */
export function prettyLines(options: { isColoured: boolean }): (line: string) => string {
  const pretty = prettyFactory({
    colorize: options.isColoured,
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  });
  return (line) => pretty(shownJson(line).replace(numbered, keepEscaped));
}

/** In JSON: an escaped backslash, or a character as its number. */
const numbered = /\\(?:\\|u[0-9a-f]{4})/gi;

/** Leaves the number in place of a character that a terminal would interpret. */
function keepEscaped(found: string): string {
  return found === "\\\\" ? found : `\\${found}`;
}
