import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { Written } from "../../ui/act/written.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { useAnswer } from "../../wire/use-answer.ts";
import { OpenMatters } from "./open-matters.tsx";
import { readStatement } from "./read-statement.ts";
import { SignedStatements } from "./signed-statements.tsx";
import { StatementCard } from "./statement-card.tsx";
import { TotalsCard } from "./totals-card.tsx";
import { WalletChoice } from "./wallet-choice.tsx";

/**
 * A wallet's statement for one month, by the ledger: balances before and after, and transactions.
 * Without a wallet the signed statements, totals, and what blocks the close of the month.
 */
export function StatementsPage() {
  const { filters, change } = useFilters(["wallet_id", "month", "by", "cursor"]);
  const month = monthIn(filters.month);
  const walletId = filters.wallet_id;
  const totals = (
    <TotalsCard
      month={month}
      walletId={walletId ?? null}
      by={filters.by}
      onChange={(by) => change("by", by)}
    />
  );
  return (
    <Page title={text.statements.title} lead={text.statements.lead}>
      <div class="filters">
        <WalletChoice value={walletId ?? ""} onChange={(value) => change("wallet_id", value)} />
        <Written
          label={text.statements.month}
          type="month"
          value={month}
          onChange={(value) => change("month", value)}
        />
      </div>
      {walletId === undefined ? (
        <div class="stack">
          <Card isFull={true}>
            <Empty icon="statements" title={text.statements.choose}>
              {text.statements.chooseMore}
            </Empty>
          </Card>
          <SignedStatements
            month={month}
            {...(filters.cursor === undefined ? {} : { cursor: filters.cursor })}
          />
          {totals}
          <OpenMatters month={month} />
        </div>
      ) : (
        <div class="stack">
          <Statement key={`${walletId} ${month}`} walletId={walletId} month={month} />
          {totals}
        </div>
      )}
    </Page>
  );
}

function Statement({ walletId, month }: { walletId: string; month: string }) {
  const { answer, again } = useAnswer(`${walletId} ${month}`, ["transactions"], (as) =>
    readStatement(walletId, month, as),
  );
  return (
    <Answered answer={answer} again={again}>
      {(statement) => <StatementCard of={statement} month={month} />}
    </Answered>
  );
}

function monthIn(month: string | undefined): string {
  return month !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(month)
    ? month
    : new Date().toISOString().slice(0, 7);
}
