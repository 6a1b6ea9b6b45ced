import { z } from "zod";
import type { LedgerCheck, LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { count } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";

type Ports = { ledger: { checkLedger: () => Promise<LedgerCheck> } };

const finding = z
  .object({ kind: z.string().meta({ examples: ["entry_changed"] }), what: z.string() })
  .meta({ id: "LedgerFinding" });

/**
 * Checks the ledger against itself: every sum, the accounts' total of zero, and the chain of seals. Reads everything;
 * safe to repeat, and beside a running daemon.
 */
export const ledgerCheck = defineReading({
  noun: "ledger",
  http: {
    method: "GET",
    path: "/ledger/check",
    summary: "Check the ledger against itself",
    description:
      "Whether all accounts add up to zero, balances and transactions agree with their entries, and no entry was changed since it was sealed. It reads the whole ledger. `findings` is empty where all is well; `heads` is worth keeping elsewhere: whoever has it can tell later that nothing before it was rewritten.",
    input: () => ({}),
  },
  cli: {
    name: "check",
    help: "Check the ledger against itself: that all accounts add up to zero, that balances and transactions agree with their entries, and that no entry was changed since it was sealed. Status 3 where something is wrong.",
    examples: ["ledger check", "ledger check --json"],
    takes: {},
    hasFindings: ({ findings }) => findings.length > 0,
  },
  check: (input: object) => input,
  call: ({ ledger }: Ports) => ledger.checkLedger(),
  answer: z.object({
    entries: count,
    accounts: z.array(
      z.object({
        blockchain: z.string(),
        asset: z.string(),
        account: z.string(),
        amount: z.string(),
      }),
    ),
    heads: z.array(z.object({ blockchain: z.string(), number: count, hash: z.string() })),
    findings: z.array(finding),
  }),
  present: ({ entries, accounts, heads, findings }) => ({
    entries: Number(entries),
    accounts: accounts.map(({ chainName, assetCode, assetDecimals, account, amountAtomic }) => ({
      blockchain: chainName,
      asset: assetCode,
      account,
      amount: toDecimal(amountAtomic, assetDecimals),
    })),
    heads: heads.map(({ chainName, number, hash }) => ({
      blockchain: chainName,
      number: Number(number),
      hash,
    })),
    findings: findings.map((one) => ({ kind: one.kind, what: describe(one) })),
  }),
});

function describe(found: LedgerFinding): string {
  switch (found.kind) {
    case "not_zero":
      return `asset ${found.assetId}: wallets ${found.wallets}, accounts ${found.accounts}, together not zero`;
    case "balance":
      return `wallet ${found.walletId}, asset ${found.assetId}: the balance is ${found.balance}, its entries come to ${found.entries}`;
    case "account":
      return `account ${found.account} of asset ${found.assetId}: it holds ${found.amount}, its entries come to ${found.entries}`;
    case "transaction":
      return `transaction ${found.transactionId}: its entries come to ${found.entries}, which its status and amount do not say`;
    case "seal":
      return `${found.chainName}: seal ${found.number} does not follow from the one before it and from what it holds`;
    case "reconciliation":
      return `${found.chainName}: row ${found.number} of the record of reconciliations is not what was recorded`;
    case "entry_changed":
      return `${found.chainName}: entry ${found.entryId} is not what seal ${found.number} holds`;
    case "entry_missing":
      return `${found.chainName}: entry ${found.entryId} of seal ${found.number} is gone`;
    case "entry_unsealed":
      return `entry ${found.entryId} was never sealed`;
  }
}
