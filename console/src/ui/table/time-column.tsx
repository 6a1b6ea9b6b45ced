import { timeText } from "../../format/time.ts";
import { When } from "../show/when.tsx";
import type { Column } from "./table.tsx";

/** The column of a moment, at the end of a row: how long ago, and when by the chosen clock. */
export function timeColumn<Row>(
  head: string,
  at: (row: Row) => string,
  from?: Column<Row>["from"],
): Column<Row> {
  const cell = (row: Row) => (
    <span class="muted">
      <When at={at(row)} />
      <span class="second nowrap from-middle off-paper">{timeText(at(row))}</span>
    </span>
  );
  return { name: "at", head, isEnd: true, cell, ...(from === undefined ? {} : { from }) };
}
