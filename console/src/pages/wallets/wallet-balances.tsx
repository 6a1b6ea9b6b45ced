import { fill, text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

type Balance = { asset: string; amount: string | null };

const columns: readonly Column<Balance>[] = [
  { name: "asset", head: text.overview.asset, cell: ({ asset }) => asset },
  {
    name: "amount",
    head: text.overview.held,
    isEnd: true,
    cell: ({ amount }) =>
      amount === null ? (
        <span class="faint">{text.wallets.unknownBalance}</span>
      ) : (
        <Amount amount={amount} />
      ),
  },
];

/** The balances of a wallet at the confirmed height, by the ledger. */
export function WalletBalances({ id, status }: { id: string; status: Schema<"Wallet">["status"] }) {
  const { answer, again } = useAnswer(`${id} ${status}`, ["balance", "transactions"], (as) =>
    answered(
      api.GET("/wallets/{wallet_id}/balances", { params: { path: { wallet_id: id } }, ...as }),
    ),
  );
  if (status === "syncing") return <p class="muted">{text.wallets.syncingMore}</p>;
  return (
    <Answered answer={answer} again={again} lines={2}>
      {({ data }) => <BalancesTable of={data} />}
    </Answered>
  );
}

/** The balances of a wallet at a block. */
export function BalancesTable({ of }: { of: Schema<"WalletBalances"> }) {
  return (
    <>
      <Table
        caption={text.wallets.holds}
        columns={columns}
        rows={of.balances}
        idOf={({ asset }) => asset}
      />
      <p class="small faint">{fill(text.wallets.atBlock, { number: of.block_number })}</p>
    </>
  );
}
