import type { LineFault } from "../../../format/csv.ts";
import { fill, text } from "../../../text/text.ts";

const most = 50;

/** The faults of a file, line by line. Line 0 stands for the whole file. */
export function LineFaults({ of }: { of: readonly LineFault[] }) {
  if (of.length === 0) return null;
  return (
    <div class="banner tone-bad" role="alert">
      <ul class="stack-tight">
        {of.slice(0, most).map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line > 0 && <strong>{fill(text.import.line, { line })} </strong>}
            {message}
          </li>
        ))}
        {of.length > most && <li>{fill(text.import.more, { count: of.length - most })}</li>}
      </ul>
    </div>
  );
}
