import { addAmounts, isZero, subtractAmounts } from "../../format/amount.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { asFault } from "../../wire/fault.ts";
import type { Asking } from "../../wire/use-answer.ts";
import { readTransactions } from "../parts/read-transactions.ts";

/**
 * The line of one asset: the balances before and after, and the movements between. Null: the ledger
 * does not know the balance.
 */
export type StatementLine = {
  asset: string;
  before: string | null;
  incoming: string;
  outgoing: string;
  fees: string;
  after: string | null;
  /**
   * The part of the difference that the listed movements do not explain: corrections, openings and
   * unconfirmed amounts. Null: none.
   */
  other: string | null;
};

export type Statement = {
  wallet: Schema<"Wallet">;
  lines: StatementLine[];
  transactions: Schema<"Transaction">[];
  isWhole: boolean;
};

const most = 20_000;

/** The statement of a wallet for a month, such as `2026-01`, in UTC. Amounts are exact. */
export async function readStatement(
  walletId: string,
  month: string,
  as: Asking,
): Promise<Statement> {
  const { from, to } = bounds(month);
  const path = { wallet_id: walletId };
  const include = "reference,label,usd_value";
  const range = { wallet_id: walletId, from, to, status: "completed" as const, include };
  const [{ data: wallet }, before, after, moved, fees] = await Promise.all([
    answered(api.GET("/wallets/{wallet_id}", { params: { path }, ...as })),
    balancesAt(walletId, from, as),
    balancesAt(walletId, to, as),
    readTransactions(range, { most, as }),
    readTransactions({ ...range, type: "fee" }, { most, as }),
  ]);
  const transactions = [...moved.rows, ...fees.rows].sort((one, other) =>
    one.id < other.id ? 1 : -1,
  );
  const lines = wallet.currencies.map((asset) => lineOf(asset, { before, after, transactions }));
  return { wallet, lines, transactions, isWhole: moved.isWhole && fees.isWhole };
}

type Balances = ReadonlyMap<string, string | null>;

function lineOf(
  asset: string,
  known: { before: Balances; after: Balances; transactions: Schema<"Transaction">[] },
): StatementLine {
  const sumOf = (...types: Schema<"Transaction">["type"][]) =>
    known.transactions
      .filter((row) => row.asset === asset && types.includes(row.type))
      .reduce((sum, { amount }) => addAmounts(sum, amount), "0");
  const [incoming, outgoing, fees] = [
    sumOf("deposit", "payment"),
    sumOf("withdrawal"),
    sumOf("fee"),
  ];
  const before = known.before.get(asset) ?? null;
  const after = known.after.get(asset) ?? null;
  const listed = subtractAmounts(subtractAmounts(incoming, outgoing), fees);
  const rest =
    before === null || after === null
      ? "0"
      : subtractAmounts(subtractAmounts(after, before), listed);
  return { asset, before, incoming, outgoing, fees, after, other: isZero(rest) ? null : rest };
}

/** The balances at a time; empty where the ledger does not reach so far back. */
async function balancesAt(walletId: string, at: string, as: Asking): Promise<Balances> {
  const isAhead = Date.parse(at) > Date.now();
  try {
    const { data } = await answered(
      api.GET("/wallets/{wallet_id}/balances", {
        params: { path: { wallet_id: walletId }, query: isAhead ? {} : { at } },
        ...as,
      }),
    );
    return new Map(data.balances.map(({ asset, amount }) => [asset, amount]));
  } catch (thrown) {
    const fault = asFault(thrown);
    if (fault.status === 400 || fault.status === 404) return new Map();
    throw fault;
  }
}

function bounds(month: string): { from: string; to: string } {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  const begin = (of: number) => new Date(Date.UTC(year, of, 1)).toISOString();
  return { from: begin(number - 1), to: begin(number) };
}
