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
  /** The balances at the beginning and the end of the month. */
  known: Known;
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
  const path = { wallet_id: walletId };
  const { from, to, ...of } = monthQuery(walletId, month);
  const range = { ...of, from, to, include: "reference,label,usd_value" };
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
  const known = { before, after };
  const sums = new MonthSums();
  for (const row of transactions) sums.add(row);
  const lines = sums.lines(wallet, known);
  return { wallet, known, lines, transactions, isWhole: moved.isWhole && fees.isWhole };
}

/** The filter of a wallet's month. Its fees are a list of their own. */
export function monthQuery(walletId: string, month: string) {
  return { wallet_id: walletId, ...bounds(month), status: "completed" as const };
}

type Balances = ReadonlyMap<string, string | null>;

type Known = { before: Balances; after: Balances };

const sumOf: Partial<Record<Schema<"Transaction">["type"], "incoming" | "outgoing" | "fees">> = {
  deposit: "incoming",
  payment: "incoming",
  withdrawal: "outgoing",
  fee: "fees",
};

/** Adds up the transactions of a month, one after another. */
export class MonthSums {
  readonly #of = new Map<string, { incoming: string; outgoing: string; fees: string }>();

  add({ asset, type, amount }: Pick<Schema<"Transaction">, "asset" | "type" | "amount">): void {
    const name = sumOf[type];
    if (name === undefined) return;
    const sums = this.#ofAsset(asset);
    this.#of.set(asset, { ...sums, [name]: addAmounts(sums[name], amount) });
  }

  lines({ currencies }: Schema<"Wallet">, known: Known): StatementLine[] {
    return currencies.map((asset) => {
      const sums = this.#ofAsset(asset);
      const before = known.before.get(asset) ?? null;
      const after = known.after.get(asset) ?? null;
      const listed = subtractAmounts(subtractAmounts(sums.incoming, sums.outgoing), sums.fees);
      const rest =
        before === null || after === null
          ? "0"
          : subtractAmounts(subtractAmounts(after, before), listed);
      return { asset, before, ...sums, after, other: isZero(rest) ? null : rest };
    });
  }

  #ofAsset(asset: string) {
    return this.#of.get(asset) ?? { incoming: "0", outgoing: "0", fees: "0" };
  }
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
