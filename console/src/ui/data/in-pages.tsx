import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { groupDigits } from "../../format/amount.ts";
import { fill, text } from "../../text/text.ts";
import { Button } from "../act/button.tsx";

/** The rows that a page shows without trouble. */
const size = 200;

type Shown<Row> = { rows: readonly Row[]; children: (rows: readonly Row[]) => ComponentChildren };

/** Rows that are all at hand, so many at a time, with the way to the others. */
export function InPages<Row>({ rows, children }: Shown<Row>) {
  const [begun, setBegun] = useState(0);
  // Where rows have gone meanwhile, the last page that there is.
  const begin = Math.min(begun, Math.floor(Math.max(0, rows.length - 1) / size) * size);
  const end = Math.min(begin + size, rows.length);
  const [first, last, count] = [begin + 1, end, rows.length].map((number) =>
    groupDigits(String(number)),
  );
  return (
    <>
      {children(rows.slice(begin, end))}
      {rows.length > size && (
        <nav class="pager" aria-label={text.common.pages}>
          {fill(text.common.rowsOf, { first: first ?? "", last: last ?? "", count: count ?? "" })}
          <span class="push row">
            <Button isAtEnd={begin === 0} onClick={() => setBegun(begin - size)}>
              {text.common.newer}
            </Button>
            <Button isAtEnd={end === rows.length} onClick={() => setBegun(end)}>
              {text.common.older}
            </Button>
          </span>
        </nav>
      )}
    </>
  );
}
