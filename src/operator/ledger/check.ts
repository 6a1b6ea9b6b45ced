import { z } from "zod";
import type { LedgerCheck } from "../../domain/evidence/ledger-check.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { count } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { presentFinding, shownFinding } from "./finding.ts";

type Ports = { ledger: { checkLedger: () => Promise<LedgerCheck> } };

/**
 * Checks the ledger against itself: every sum, the accounts' total of zero, and the chain of seals.
 * Reads everything; safe to repeat, and beside a running daemon.
 */
export const ledgerCheck = defineReading({
  noun: "ledger",
  http: {
    method: "GET",
    path: "/ledger/check",
    summary: "Check the ledger against itself",
    description:
      "Checks that all accounts add up to zero, balances and transactions agree with their entries, and no entry was changed since it was sealed. It reads the whole ledger. `findings` is empty where all is well; `heads` is worth keeping elsewhere: whoever has it can tell later that nothing before it was rewritten.",
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
    findings: z.array(shownFinding),
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
    findings: findings.map(presentFinding),
  }),
});
