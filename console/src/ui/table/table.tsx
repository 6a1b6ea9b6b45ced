import type { ComponentChildren } from "preact";
import { useRowKeys } from "./use-row-keys.ts";

export type Column<Row> = {
  name: string;
  head: string;
  /** Of buttons, which say themselves what they are. */
  isHeadHidden?: boolean;
  cell: (row: Row) => ComponentChildren;
  isEnd?: boolean;
  /** The width from which it is shown. */
  from?: "middle" | "wide";
};

type Shown<Row> = {
  /** What the table lists, for whoever cannot see what is above it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** Where the row leads: its first cell becomes a link that the whole row belongs to. */
  hrefOf?: (row: Row) => string;
  chosenId?: string | null;
};

/** Rows of one kind. Arrow keys go from row to row where rows lead somewhere. */
export function Table<Row>(props: Shown<Row>) {
  const { caption, columns, rows, idOf, hrefOf, chosenId = null } = props;
  const body = useRowKeys();
  return (
    <div class="scroller">
      <table class={`table ${hrefOf === undefined ? "" : "table-linked"}`}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={lookOf(column)}>
                <span class={column.isHeadHidden === true ? "unseen" : ""}>{column.head}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr key={idOf(row)} class={idOf(row) === chosenId ? "chosen" : ""}>
              {columns.map((column, place) => (
                <td key={column.name} class={lookOf(column)}>
                  {place === 0 && hrefOf !== undefined ? (
                    <a
                      class="row-link"
                      href={hrefOf(row)}
                      aria-current={idOf(row) === chosenId ? "true" : undefined}
                    >
                      {column.cell(row)}
                    </a>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function lookOf<Row>({ isEnd = false, from }: Column<Row>): string {
  return `${isEnd ? "end" : ""} ${from === undefined ? "" : `from-${from}`}`.trim();
}
