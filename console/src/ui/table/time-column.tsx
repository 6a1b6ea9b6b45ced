import type { ComponentChildren } from "preact";
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

/**
 * The column of a state. In a panel, which has no column of moments, the moment stands below it.
 */
export function statusColumn<Row>(of: {
  head: string;
  status: (row: Row) => ComponentChildren;
  at: (row: Row) => string;
}): Column<Row> {
  const cell = (row: Row) => (
    <>
      {of.status(row)}
      <span class="second until-middle">
        <When at={of.at(row)} />
      </span>
    </>
  );
  return { name: "status", head: of.head, cell };
}
