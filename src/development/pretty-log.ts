import { prettyFactory } from "pino-pretty";

/**
 * The lines of a log as a person reads them in a terminal: time, level, message and fields in one
 * line.
 */
export function prettyLines(options: { isColoured: boolean }): (line: string) => string {
  return prettyFactory({
    colorize: options.isColoured,
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  });
}
