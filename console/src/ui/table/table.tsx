import type { ComponentChildren } from "preact";
import { fill, text } from "../../text/text.ts";
import { Scroller } from "../show/scroller.tsx";
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

/** Said also where a narrow window shows rows as cards: not every browser then knows a table. */
const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  cell: { role: "cell" },
} as const;

/** Rows of one kind. Arrow keys go from row to row where rows lead somewhere. */
export function Table<Row>(props: Shown<Row>) {
  const { caption, rows, idOf, hrefOf } = props;
  const body = useRowKeys();
  return (
    <RoomContext.Provider value={true}>
      <Scroller label={caption}>
        <table class={`table ${hrefOf === undefined ? "" : "table-linked"}`} {...roles.table}>
          <caption class="unseen">{caption}</caption>
          <Head {...props} />
          <tbody ref={body} {...roles.group}>
            {rows.map((row) => (
              <TableRow key={idOf(row)} {...props} row={row} />
            ))}
          </tbody>
        </table>
      </Scroller>
    </RoomContext.Provider>
  );
}

function Head<Row>({ columns, rows, idOf, selection }: Shown<Row>) {
  return (
    <thead {...roles.group}>
      <tr {...roles.row}>
        {selection !== undefined && (
          <th scope="col" class="select" data-head={text.selection.all} {...roles.head}>
            <input
              type="checkbox"
              aria-label={text.selection.all}
              checked={rows.every((row) => selection.rows.has(idOf(row)))}
              onChange={() => selection.toggleAll(rows)}
            />
          </th>
        )}
        {columns.map((column) => (
          <th key={column.name} scope="col" class={lookOf(column)} {...roles.head}>
            <span class={column.isHeadHidden === true ? "unseen" : ""}>{column.head}</span>
          </th>
        ))}
      </tr>
    </thead>
  );
}

type InRow<Row> = Shown<Row> & { row: Row };

function TableRow<Row>(props: InRow<Row>) {
  const { columns, rows, row, idOf, hrefOf, chosenId = null, selection } = props;
  const id = idOf(row);
  return (
    <tr class={id === chosenId ? "chosen" : ""} {...roles.row}>
      {selection !== undefined && (
        <td class="select" {...roles.cell}>
          <input
            class="above-link"
            type="checkbox"
            aria-label={fill(text.selection.one, { id })}
            checked={selection.rows.has(id)}
            onClick={(event) => selection.toggle(id, event.shiftKey, rows)}
          />
        </td>
      )}
      {columns.map((column, place) => (
        <td
          key={column.name}
          class={`${place === 0 ? "title" : ""} ${lookOf(column)}`.trim()}
          {...(column.isHeadHidden === true ? {} : { "data-head": column.head })}
          {...roles.cell}
        >
          <div class="value">
            {place === 0 && hrefOf !== undefined ? (
              <RowLink {...props} href={hrefOf(row)}>
                {column.cell(row)}
              </RowLink>
            ) : (
              column.cell(row)
            )}
          </div>
        </td>
      ))}
    </tr>
  );
}

type Linked<Row> = InRow<Row> & { href: string; children: ComponentChildren };

/**
 * The link of a row. With shift or the space bar it selects the row, where rows can be selected.
 */
function RowLink<Row>(props: Linked<Row>) {
  const { row, rows, idOf, chosenId = null, selection, href, children } = props;
  const id = idOf(row);
  return (
    <a
      class="row-link"
      href={href}
      aria-current={id === chosenId ? "true" : undefined}
      {...(selection === undefined
        ? {}
        : {
            onClick: (event: MouseEvent) => {
              if (!event.shiftKey) return;
              event.preventDefault();
              selection.toggle(id, true, rows);
            },
            onKeyDown: (event: KeyboardEvent) => {
              if (event.key !== " ") return;
              event.preventDefault();
              selection.toggle(id, event.shiftKey, rows);
            },
          })}
    >
      {children}
    </a>
  );
}

function lookOf<Row>({ isEnd = false, from }: Column<Row>): string {
  return `${isEnd ? "end" : ""} ${from === undefined ? "" : `from-${from}`}`.trim();
}
