import type {
  AccountBalance,
  LedgerCheck,
  LedgerFinding,
} from "../../domain/evidence/ledger-check.ts";
import { balanceKeyOf } from "../../domain/money/balance.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { statementsOf } from "../postgres/statements.ts";
import { findWronglyDue } from "./check-due.ts";
import { findChangedFacts } from "./check-facts.ts";
import { findChangedNotifications } from "./check-notifications.ts";
import { checkSeals, findUnsealed } from "./check-seals.ts";
import { findChangedStatements } from "./check-statements.ts";
import { findBrokenStreams } from "./check-streams.ts";
import { checkSums } from "./check-sums.ts";
import { findChangedTransactions } from "./check-transactions.ts";
import { checkReconciliations } from "./reconciliation-records.ts";

/**
 * Checks the whole journal and everything derived from it (docs/invariants.md#i12). A finding was
 * changed by something other than Chainbell, or is a defect of Chainbell. Changes nothing, and may
 * run beside a working daemon.
 */
export async function checkLedger(db: Database): Promise<LedgerCheck> {
  const findings = [
    ...(await checkSums(db)),
    ...(await findUnsealed(db)),
    ...(await findChangedTransactions(db)),
    ...(await findChangedNotifications(db)),
    ...(await findBrokenStreams(db)),
    ...(await findWronglyDue(db)),
    ...(await checkReconciliations(db)),
    ...(await findChangedStatements(db)),
  ];
  const chains = await reaching(() => modelsOf(db).chain.findMany({ orderBy: { name: "asc" } }));
  const heads: LedgerCheck["heads"] = [];
  for (const { name } of chains) {
    const checked = await checkSeals(db, name);
    findings.push(...checked.findings, ...withoutKnown(findings, await findChangedFacts(db, name)));
    if (checked.head !== null) heads.push(checked.head);
  }
  const entries = BigInt(await reaching(() => modelsOf(db).ledgerEntry.count()));
  return { entries, accounts: await readAccounts(db), heads, findings };
}

/** Leaves out findings that another check has named already. */
function withoutKnown(
  known: readonly LedgerFinding[],
  found: readonly LedgerFinding[],
): LedgerFinding[] {
  const keyOf = (one: LedgerFinding): string | null => {
    if ("transactionId" in one) return one.transactionId;
    const isOpening = one.kind === "opening" || one.kind === "opening_changed";
    return isOpening ? balanceKeyOf(one) : null;
  };
  const keys = new Set(known.map(keyOf));
  return found.filter((one) => !keys.has(keyOf(one)));
}

/** Reads the balance of every account, including the account of all wallets together. */
async function readAccounts(db: Database): Promise<AccountBalance[]> {
  const rows = await statementsOf(db).$queryRaw<
    (Omit<AccountBalance, "amountAtomic"> & { amount: string })[]
  >`
    SELECT a.chain_name AS "chainName", a.code AS "assetCode", a.decimals AS "assetDecimals", r.account,
      r.amount::text
    FROM (
      SELECT asset_id, 'wallets' AS account, sum(confirmed) AS amount FROM balance GROUP BY asset_id
      UNION ALL SELECT asset_id, account, amount FROM ledger_account
    ) r JOIN asset a ON a.id = r.asset_id
    ORDER BY a.chain_name, a.code, r.account = 'wallets' DESC, r.account`;
  return rows.map(({ amount, ...row }) => ({ ...row, amountAtomic: BigInt(amount) }));
}
