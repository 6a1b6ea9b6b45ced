import { text, wordOf } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { StatementPeriod, StatementState } from "../parts/statement-cells.tsx";
import { mostRows, NewestRows } from "./newest-rows.tsx";

const columns: readonly Column<Schema<"Statement">>[] = [
  {
    name: "period",
    head: text.period.name,
    cell: (row) => (
      <>
        <StatementPeriod of={row} />
        <span class="second">
          {text.signed.digest} <Hash value={row.digest} what={text.signed.digest} />
        </span>
      </>
    ),
  },
  {
    name: "state",
    head: text.signed.state,
    cell: (row) => (
      <>
        <StatementState of={row} />
        <span class="second">
          <When at={row.made_at} /> · {wordOf(text.via, row.made_via)}
        </span>
      </>
    ),
  },
];

/** The newest signed statements of a business that were given out. The command line lists all. */
export function BusinessStatements({ id }: { id: string }) {
  const asked = useAnswer(id, [], (as) => {
    const params = { path: { id }, query: { limit: mostRows } };
    return answered(api.GET("/admin/businesses/{id}/statements", { params, ...as }));
  });
  const { title, none } = text.signed;
  return (
    <NewestRows {...asked} none={none}>
      {(rows) => <Table caption={title} columns={columns} rows={rows} idOf={(row) => row.id} />}
    </NewestRows>
  );
}
