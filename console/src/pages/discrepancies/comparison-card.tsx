import { addressOf } from "../../route/place.ts";
import { fillCount, text, wordOf } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import type { paths } from "../../wire/generated/api-paths.ts";

/** The findings of one comparison of ledger and chain. */
export type Comparison =
  paths["/admin/reconcile"]["post"]["responses"][200]["content"]["application/json"]["data"];

type Difference = Comparison["differences"][number];

const columns: readonly Column<Difference>[] = [
  {
    name: "wallet",
    head: text.wallets.one,
    cell: (row) => (
      <>
        <Hash value={row.address} what={text.wallets.address} />
        <span class="second">
          {row.blockchain} · {row.block_number}
        </span>
        <a class="second" href={addressOf(`/wallets/${row.wallet_id}`)}>
          {text.discrepancies.toWallet}
        </a>
      </>
    ),
  },
  {
    name: "ledger",
    head: text.discrepancies.ledger,
    isEnd: true,
    from: "middle",
    cell: (row) => <Amount amount={row.ledger} asset={row.asset} />,
  },
  {
    name: "chain",
    head: text.discrepancies.chain,
    isEnd: true,
    from: "middle",
    cell: (row) => <Amount amount={row.chain} asset={row.asset} />,
  },
  {
    name: "difference",
    head: text.discrepancies.difference,
    isEnd: true,
    cell: (row) => <Amount amount={row.difference} asset={row.asset} />,
  },
  {
    name: "outcome",
    head: text.discrepancies.outcome,
    cell: ({ outcome }) => wordOf(text.outcome, outcome),
  },
];

/** The differences of the comparison that was just made. */
export function ComparisonCard({ of }: { of: Comparison }) {
  return (
    <Card
      title={fillCount(text.discrepancies.compared, of.compared, { found: of.discrepancies })}
      isFull={true}
    >
      {of.differences.length > 0 && (
        <Table
          caption={text.discrepancies.difference}
          columns={columns}
          rows={of.differences}
          idOf={(row) => `${row.wallet_id} ${row.asset}`}
        />
      )}
    </Card>
  );
}
