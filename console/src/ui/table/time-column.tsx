import { When } from "../show/when.tsx";
import type { Column } from "./table.tsx";

/** The column of a moment, at the end of a row. */
export function timeColumn<Row>(
  head: string,
  at: (row: Row) => string,
  from?: Column<Row>["from"],
): Column<Row> {
  const cell = (row: Row) => (
    <span class="muted">
      <When at={at(row)} />
    </span>
  );
  return { name: "at", head, isEnd: true, cell, ...(from === undefined ? {} : { from }) };
}
