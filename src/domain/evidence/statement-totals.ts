import { Fault } from "../fault.ts";
import { toDecimal } from "../money/amount.ts";
import type { StatedEntry, StatedHolding } from "./account-statement.ts";
import type { StatementPeriod } from "./statement-period.ts";

/** The sums of one asset of one chain, or of one asset code over several chains. */
export type StatementTotal = {
  /** Null: over all chains, in the largest of their decimals. */
  chainName: string | null;
  assetCode: string;
  assetDecimals: number;
  openingAtomic: bigint;
  closingAtomic: bigint;
  /** The part of the closing in wallets that were watched at the end of the period. */
  watchedAtomic: bigint;
  entries: number;
  /** By types of transactions, and kinds of entries about openings. */
  byType: ReadonlyMap<string, bigint>;
};

/** An entry's type: its transaction's type, or the kind of an entry about an opening. */
export function entryType({ kind, transaction }: StatedEntry): string {
  return transaction?.type ?? kind;
}

type Sum = Omit<StatementTotal, "byType"> & { byType: Map<string, bigint> };

/** Adds a statement up while it is written. Memory grows only with the number of assets. */
export class StatementSums {
  readonly #endsAt: Date;
  readonly #ofAsset = new Map<number, Sum>();
  holdings = 0;
  /** The number of holdings with an unread opening balance. */
  unknownOpenings = 0;
  entries = 0;
  /** The number of entries of transactions without a price. */
  unpriced = 0;
  /** The number of transactions in blocks of the period that are not in the closing. */
  unconfirmed = 0;
  #balance = 0n;
  #left = 0;

  constructor({ to }: Pick<StatementPeriod, "to">) {
    this.#endsAt = to;
  }

  begin(holding: StatedHolding): void {
    this.holdings += 1;
    if (!holding.isOpeningKnown) this.unknownOpenings += 1;
    this.#balance = holding.openingAtomic;
    this.#left = holding.entries;
    const sum = this.#sumOf(holding);
    sum.openingAtomic += holding.openingAtomic;
    sum.closingAtomic += holding.closingAtomic;
    const { removedAt } = holding;
    if (removedAt === null || removedAt >= this.#endsAt) sum.watchedAtomic += holding.closingAtomic;
  }

  /** Adds an entry, and answers the holding's balance after it. */
  add(holding: StatedHolding, entry: StatedEntry): bigint {
    this.entries += 1;
    if (entry.transaction !== null && entry.transaction.usdValue === null) this.unpriced += 1;
    this.#left -= 1;
    this.#balance += entry.amountAtomic;
    const sum = this.#sumOf(holding);
    const type = entryType(entry);
    sum.entries += 1;
    sum.byType.set(type, (sum.byType.get(type) ?? 0n) + entry.amountAtomic);
    return this.#balance;
  }

  /** @throws Fault `invariant_broken` if the holding does not add up to its closing */
  end({ walletId, assetCode, closingAtomic }: StatedHolding): void {
    if (this.#balance === closingAtomic && this.#left === 0) return;
    throw new Fault(
      "invariant_broken",
      `The statement does not add up. For ${assetCode} of wallet ${walletId} it comes to ${this.#balance}, the journal to ${closingAtomic}, with ${this.#left} entries more. Run ledger check.`,
    );
  }

  counts() {
    const { holdings, entries, unpriced, unconfirmed } = this;
    return { holdings, entries, unpriced, unconfirmed };
  }

  /** The sums by asset of each chain. Then sums over chains, for codes that several chains have. */
  totals(): StatementTotal[] {
    const sums = [...this.#ofAsset.values()].toSorted((one, other) =>
      placeOf(one) < placeOf(other) ? -1 : 1,
    );
    return [...sums, ...overChains(sums)];
  }

  #sumOf({ assetId, chainName, assetCode, assetDecimals }: StatedHolding): Sum {
    const known = this.#ofAsset.get(assetId);
    if (known !== undefined) return known;
    const sum = emptySum({ chainName, assetCode, assetDecimals });
    this.#ofAsset.set(assetId, sum);
    return sum;
  }
}

function emptySum(of: Pick<Sum, "chainName" | "assetCode" | "assetDecimals">): Sum {
  const nothing = { openingAtomic: 0n, closingAtomic: 0n, watchedAtomic: 0n, entries: 0 };
  return { ...of, ...nothing, byType: new Map() };
}

function placeOf({ chainName, assetCode }: Sum): string {
  return `${chainName}/${assetCode}`;
}

/** Adds up in the largest decimals, so nothing is lost. */
function overChains(sums: readonly Sum[]): Sum[] {
  const codes = [...new Set(sums.map(({ assetCode }) => assetCode))].toSorted();
  return codes.flatMap((assetCode) => {
    const parts = sums.filter((sum) => sum.assetCode === assetCode);
    if (parts.length < 2) return [];
    const assetDecimals = Math.max(...parts.map((part) => part.assetDecimals));
    const whole = emptySum({ chainName: null, assetCode, assetDecimals });
    for (const part of parts) {
      const unit = 10n ** BigInt(assetDecimals - part.assetDecimals);
      whole.openingAtomic += part.openingAtomic * unit;
      whole.closingAtomic += part.closingAtomic * unit;
      whole.watchedAtomic += part.watchedAtomic * unit;
      whole.entries += part.entries;
      for (const [type, amount] of part.byType)
        whole.byType.set(type, (whole.byType.get(type) ?? 0n) + amount * unit);
    }
    return [whole];
  });
}

/** The sums by type as decimals, in the order of their names. */
export function typeTexts({ byType, assetDecimals }: StatementTotal): Record<string, string> {
  const names = [...byType.keys()].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, toDecimal(byType.get(name) ?? 0n, assetDecimals)]),
  );
}
