import { groupDigits } from "../../format/amount.ts";
import { bytesText } from "../../format/short.ts";
import { fill, text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import type { Installed } from "./installed.ts";

type TableSize = Installed["database"]["tables"][number];

const columns: readonly Column<TableSize>[] = [
  { name: "name", head: text.health.table, cell: ({ name }) => <code>{name}</code> },
  {
    name: "rows",
    head: text.health.rows,
    isEnd: true,
    cell: ({ rows }) => groupDigits(String(rows)),
  },
  {
    name: "bytes",
    head: text.health.size,
    isEnd: true,
    cell: ({ bytes }) => bytesText(Number(bytes)),
  },
];

/** How much room the data takes, table by table. */
export function Database({ of: { database } }: { of: Installed }) {
  const title = fill(text.health.database, { size: bytesText(Number(database.size_bytes)) });
  return <TableCard {...{ title, columns, rows: database.tables }} idOf={({ name }) => name} />;
}
