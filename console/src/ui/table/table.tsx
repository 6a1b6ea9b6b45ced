import type { ComponentChildren } from "preact";
import { fill, text } from "../../text/text.ts";
import { RoomContext } from "../show/use-breaks.ts";
import { useRowKeys } from "./use-row-keys.ts";
import type { Selection } from "./use-selection.ts";

export type Column<Row> = {
  name: string;
  head: string;
  /** Set for a column of buttons, which carry their own words. */
  isHeadHidden?: boolean;
  cell: (row: Row) => ComponentChildren;
  isEnd?: boolean;
  /** The least width of the window that shows the column. */
  from?: "middle" | "wide";
};

type Shown<Row> = {
  /** The subject of the table, for a reader who cannot see the text above it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /**
   * The address that the row leads to. The first cell becomes a link that the whole row belongs to.
   */
  hrefOf?: (row: Row) => string;
  chosenId?: string | null;
  /** Set where rows can be selected, to act on several. */
  selection?: Selection<Row> | undefined;
};

/** Rows of one kind. Arrow keys go from row to row where rows lead somewhere. */
export function Table<Row>(props: Shown<Row>) {
  const { caption, columns, rows, idOf, hrefOf, chosenId = null, selection } = props;
  const body = useRowKeys();
  return (
    <RoomContext.Provider value={true}>
      <div class="scroller">
        <table class={`table ${hrefOf === undefined ? "" : "table-linked"}`}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {selection !== undefined && (
                <th scope="col" class="select">
                  <input
                    type="checkbox"
                    aria-label={text.selection.all}
                    checked={rows.every((row) => selection.rows.has(idOf(row)))}
                    onChange={() => selection.toggleAll(rows)}
                  />
                </th>
              )}
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
                {selection !== undefined && (
                  <td class="select">
                    <input
                      class="above-link"
                      type="checkbox"
                      aria-label={fill(text.selection.one, { id: idOf(row) })}
                      checked={selection.rows.has(idOf(row))}
                      onClick={(event) => selection.toggle(idOf(row), event.shiftKey, rows)}
                    />
                  </td>
                )}
                {columns.map((column, place) => (
                  <td key={column.name} class={lookOf(column)}>
                    {place === 0 && hrefOf !== undefined ? (
                      <a
                        class="row-link"
                        href={hrefOf(row)}
                        aria-current={idOf(row) === chosenId ? "true" : undefined}
                        {...(selection === undefined
                          ? {}
                          : {
                              onClick: (event: MouseEvent) => {
                                if (!event.shiftKey) return;
                                event.preventDefault();
                                selection.toggle(idOf(row), true, rows);
                              },
                              onKeyDown: (event: KeyboardEvent) => {
                                if (event.key !== " ") return;
                                event.preventDefault();
                                selection.toggle(idOf(row), event.shiftKey, rows);
                              },
                            })}
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
    </RoomContext.Provider>
  );
}

function lookOf<Row>({ isEnd = false, from }: Column<Row>): string {
  return `${isEnd ? "end" : ""} ${from === undefined ? "" : `from-${from}`}`.trim();
}
