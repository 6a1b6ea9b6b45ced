import { groupDigits } from "../../format/amount.ts";
import { bytesText } from "../../format/short.ts";
import { fill, text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import type { Installed } from "../parts/installed.ts";

type TableSize = Installed["database"]["tables"][number];

const columns: readonly Column<TableSize>[] = [
  { name: "name", head: text.health.table, cell: ({ name }) => <code class="break">{name}</code> },
  {
    name: "rows",
    head: text.health.rows,
    isEnd: true,
    from: "middle",
    cell: ({ rows }) => groupDigits(String(rows)),
  },
  {
    name: "bytes",
    head: text.health.size,
    isEnd: true,
    cell: ({ bytes }) => bytesText(Number(bytes)),
  },
  {
    name: "growth",
    head: text.health.growth,
    isEnd: true,
    cell: ({ bytes_a_day: growth }) => (growth === null ? "–" : growthText(growth)),
  },
];

/** The size of the database and its growth a day, table by table. */
export function Database({ of: { database } }: { of: Installed }) {
  const { size_bytes: bytes, bytes_a_day: growth, tables: rows } = database;
  const size = bytesText(Number(bytes));
  const title =
    growth === null
      ? fill(text.health.database, { size })
      : fill(text.health.databaseGrows, { size, growth: growthText(growth) });
  return <TableCard {...{ title, columns, rows }} idOf={({ name }) => name} />;
}

function growthText(bytes: string): string {
  const sign = bytes.startsWith("-") ? "−" : "+";
  return `${sign}${bytesText(Math.abs(Number(bytes)))}`;
}
