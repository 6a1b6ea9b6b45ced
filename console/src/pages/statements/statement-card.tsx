import { addressOf } from "../../route/place.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { InPages } from "../../ui/data/in-pages.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { TransactionsTable } from "../parts/transactions-table.tsx";
import type { Statement, StatementLine } from "./read-statement.ts";
import { amountNames, saveStatement } from "./statement-file.ts";
import { fullName } from "./wallet-name.ts";

const columns: readonly Column<StatementLine>[] = [
  { name: "asset", head: text.overview.asset, cell: ({ asset }) => <strong>{asset}</strong> },
  ...amountNames.map(
    (name): Column<StatementLine> => ({
      name,
      head: text.statements.columns[name],
      isEnd: true,
      ...(name === "before" || name === "after" ? {} : { from: "middle" as const }),
      cell: (line) => <StatementAmount amount={line[name]} name={name} />,
    }),
  ),
];

const hrefOf = ({ id }: { id: string }) => addressOf(`/transactions/${id}`);

/** A statement: the sums of each asset, and every transaction of them. */
export function StatementCard({ of, month }: { of: Statement; month: string }) {
  const { isBusy, run } = useAction(async () => {
    showToast("good", fillCount(text.common.exported, await saveStatement(of, month)));
  });
  const unpriced = of.transactions.filter(({ usd_value: worth }) => worth === null);
  return (
    <div class="stack">
      <Card
        title={fill(text.statements.of, { month })}
        aside={
          <Button icon="download" isDisabled={isBusy} onClick={run}>
            {isBusy ? text.common.exporting : text.common.export}
          </Button>
        }
        isFull={true}
      >
        <p class="card-body muted">
          <Foreign text={fullName(of.wallet)} />
        </p>
        <Table
          caption={text.statements.title}
          columns={columns}
          rows={of.lines}
          idOf={({ asset }) => asset}
        />
        {!of.isWhole && <p class="pager">{text.statements.part}</p>}
      </Card>
      {unpriced.length > 0 && (
        <Card title={fill(text.statements.unpriced, { count: unpriced.length })} isFull={true}>
          <InPages rows={unpriced}>
            {(rows) => <TransactionsTable rows={rows} hrefOf={hrefOf} />}
          </InPages>
        </Card>
      )}
      <Card title={text.transactions.title} isFull={true}>
        {of.transactions.length === 0 ? (
          <Empty icon="transactions" title={text.statements.nothing} />
        ) : (
          <InPages rows={of.transactions}>
            {(rows) => <TransactionsTable rows={rows} hrefOf={hrefOf} />}
          </InPages>
        )}
      </Card>
    </div>
  );
}

function StatementAmount({ amount, name }: { amount: string | null; name: string }) {
  if (amount === null)
    return <span class="faint">{name === "other" ? "–" : text.statements.unknown}</span>;
  return <Amount amount={amount} />;
}
