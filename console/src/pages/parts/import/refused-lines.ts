import type { LineFault } from "../../../format/csv.ts";
import { fill, text } from "../../../text/text.ts";
import { faultText, fieldText } from "../../../ui/show/fault-text.ts";
import type { WireFault } from "../../../wire/fault.ts";

/**
 * The server's refusals, by the lines of the file. The server's fields name rows, as
 * `wallets[17].address`.
 * @param lines the line of each row
 */
export function refusedLines(fault: WireFault, lines: readonly number[]): LineFault[] {
  if (fault.details.length === 0) return [{ line: 0, message: faultText(fault) }];
  const lineOf = (row: string | undefined) => lines[Number(row)] ?? 0;
  const inLines = (said: string) =>
    said.replace(/wallets\[(\d+)\]\.\w+/g, (whole, row: string) => {
      const line = lineOf(row);
      return line === 0 ? whole : fill(text.import.at, { line });
    });
  return fault.details.map(({ field, message, code, values }) => {
    const [, row, name = ""] = /^wallets\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const line = lineOf(row);
    const short = line === 0 ? field : name;
    const said = fieldText({ field: short, message: message.replace(field, short), code, values });
    return { line, message: inLines(said) };
  });
}
