import { createHash } from "node:crypto";
import type { Credit } from "../../../src/domain/credits/credit.ts";
import type { Verdict } from "../../../src/domain/credits/verdicts.ts";
import { idAt } from "../../../src/domain/id.ts";
import { toDecimal } from "../../../src/domain/money/amount.ts";
import { createRandom, type Random } from "../random.ts";

/** A wallet that receives, and an asset that is received. */
export type PlantedWallet = { id: string; address: string };

/** A transaction to be written into the ledger. */
export type PlantedTransaction = {
  id: string;
  txHash: string;
  walletId: string;
  assetCode: string;
  amountAtomic: bigint;
  type: "deposit" | "withdrawal";
  status: "completed" | "pending" | "reversed" | "dropped";
  blockTime: Date;
  completedAt: Date | null;
  /** The notification of it; null: there is none. */
  delivery: "delivered" | "exhausted" | null;
};

/** A line of the file: a credit, or a text that is none; and the verdict on it, known beforehand. */
type PlantedLine = { content: Credit | string; expected: Verdict };

export type Planted = {
  transactions: PlantedTransaction[];
  lines: PlantedLine[];
  /** The transactions that nobody credited, each with its cause. */
  uncredited: Map<string, string>;
  /** The period that covers all of it. */
  from: Date;
  to: Date;
};

const firstMs = Date.UTC(2026, 0, 1);
const stepMs = 10_000;
const assets = [
  { code: "ETH", decimals: 18 },
  { code: "USDC", decimals: 6 },
] as const;

/** How one place of the file is made: what the ledger has, what the books have, and the verdict. */
export type Planting = (at: Place, planted: Planted) => void;

export type Place = {
  received: PlantedTransaction;
  /** The right credit of it. */
  credit: Credit;
  decimals: number;
  /** Of the other wallet. */
  other: PlantedWallet;
  random: Random;
};

const matches = { verdict: "matches", cause: null } as const;

function add(planted: Planted, content: Credit | string, expected: Verdict): void {
  planted.lines.push({ content, expected });
}

function received(planted: Planted, one: PlantedTransaction, fields: object = {}): void {
  planted.transactions.push({ ...one, ...fields });
}

/** A credit as it should be. */
export const matching: Planting = ({ received: one, credit }, planted) => {
  received(planted, one);
  add(planted, credit, matches);
};

/** Says another amount than was received. */
const withAmount =
  (cause: "decimals" | "rounded" | "less" | "more", amountOf: (place: Place) => string): Planting =>
  (place, planted) => {
    received(planted, place.received);
    const expected = { verdict: "other_amount", cause } as const;
    add(planted, { ...place.credit, amount: amountOf(place) }, expected);
  };

const withFields =
  (fields: (place: Place) => Partial<Credit>, expected: Verdict): Planting =>
  (place, planted) => {
    received(planted, place.received);
    add(planted, { ...place.credit, ...fields(place) }, expected);
  };

const withLedger =
  (fields: Partial<PlantedTransaction>, expected: Verdict): Planting =>
  (place, planted) => {
    received(planted, place.received, fields);
    add(planted, place.credit, expected);
  };

const uncredited =
  (delivery: PlantedTransaction["delivery"], cause: string): Planting =>
  ({ received: one }, planted) => {
    received(planted, one, { delivery });
    planted.uncredited.set(one.id, cause);
  };

const again =
  (fields: Partial<Credit>, cause: "same_reference" | "other_reference"): Planting =>
  (place, planted) => {
    matching(place, planted);
    const creditedAt = new Date(place.credit.creditedAt.getTime() + 60_000);
    const reference = `${place.credit.reference}-again`;
    add(
      planted,
      {
        ...place.credit,
        creditedAt,
        ...(cause === "other_reference" ? { reference } : {}),
        ...fields,
      },
      { verdict: "credited_twice", cause },
    );
  };

/** Two equal transfers of one transaction to one wallet, each credited by hash: no mistake. */
const twins: Planting = (place, planted) => {
  const { received: one, credit } = place;
  const { txHash, walletId } = one;
  const byHash = { transactionId: null, txHash, walletId, address: null };
  received(planted, one);
  received(planted, one, { id: idAt(one.blockTime.getTime()) });
  add(planted, { ...credit, ...byHash }, matches);
  add(planted, { ...credit, ...byHash, reference: `${credit.reference}-twin` }, matches);
};

const randomId = ({ random }: Place) => idAt(firstMs, random.upTo(2 ** 30));
const shift = (place: Place, by: bigint) =>
  toDecimal(place.received.amountAtomic + by, place.decimals);

/** Every kind of mistake, by its name. */
export const plantings = {
  "an id of nothing": withFieldsOfNothing((place) => ({ transactionId: randomId(place) }), {
    verdict: "not_received",
    cause: "unknown_transaction",
  }),
  "a wallet of nobody": withFieldsOfNothing(
    (place) => ({
      transactionId: null,
      txHash: hashOf(`nothing ${place.received.id}`),
      walletId: null,
      address: `0x${hashOf(place.received.id).slice(2, 42)}`,
    }),
    { verdict: "not_received", cause: "unknown_wallet" },
  ),
  "the hash of another transaction": (place, planted) => {
    received(planted, place.received, { delivery: "delivered" });
    planted.uncredited.set(place.received.id, "delivered");
    const { id } = place.received;
    const named = {
      transactionId: id,
      txHash: hashOf(`other ${id}`),
      walletId: null,
      address: null,
    };
    const expected = { verdict: "not_received", cause: "other_hash" } as const;
    add(planted, { ...place.credit, ...named }, expected);
  },
  "a withdrawal": withLedger(
    { type: "withdrawal" },
    { verdict: "not_received", cause: "outgoing" },
  ),
  "forgotten after its delivery": uncredited("delivered", "delivered"),
  "never delivered": uncredited("exhausted", "not_delivered"),
  "never notified": uncredited(null, "not_notified"),
  "one line twice": again({}, "same_reference"),
  "one deposit twice": again({}, "other_reference"),
  "another customer's wallet": withFields(({ other }) => ({ walletId: other.id, address: null }), {
    verdict: "other_wallet",
    cause: "other_wallet",
  }),
  "another asset": withFields(
    ({ credit }) => ({ asset: credit.asset === "ETH" ? "USDC" : "ETH" }),
    { verdict: "other_asset", cause: "mapping" },
  ),
  "a code in lower case": withFields(({ credit }) => ({ asset: credit.asset.toLowerCase() }), {
    verdict: "other_asset",
    cause: "spelling",
  }),
  "atomic units": withAmount("decimals", ({ received: one }) => String(one.amountAtomic)),
  "two decimals": withAmount("rounded", ({ credit }) =>
    credit.amount.replace(/(\.\d\d)\d*$/, "$1"),
  ),
  "a fee taken off": withAmount("less", (place) =>
    shift(place, -place.received.amountAtomic / 50n),
  ),
  "too much": withAmount("more", (place) => shift(place, place.received.amountAtomic / 40n)),
  "still pending": withLedger(
    { status: "pending", completedAt: null },
    { verdict: "before_confirmed", cause: "pending" },
  ),
  "too early": withFields(({ received: one }) => ({ creditedAt: one.blockTime }), {
    verdict: "before_confirmed",
    cause: "early",
  }),
  reversed: withLedger({ status: "reversed" }, { verdict: "reversed", cause: "reversed" }),
  dropped: withLedger(
    { status: "dropped", completedAt: null },
    { verdict: "reversed", cause: "dropped" },
  ),
  malformed: (place, planted) => {
    received(planted, place.received, { delivery: "delivered" });
    planted.uncredited.set(place.received.id, "delivered");
    const text = `deposit of ${place.credit.amount}, "unfinished`;
    add(planted, text, { verdict: "malformed", cause: "malformed" });
  },
} as const satisfies Record<string, Planting>;

function withFieldsOfNothing(
  fields: (place: Place) => Partial<Credit>,
  expected: Verdict,
): Planting {
  return (place, planted) => add(planted, { ...place.credit, ...fields(place) }, expected);
}

function hashOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

/**
 * Credits and what the ledger has of them, made from a seed: most match, and mistakes of every kind
 * are among them, each with its verdict.
 */
export function plantCredits(
  wallets: readonly PlantedWallet[],
  { seed, credits }: { seed: number; credits: number },
): Planted {
  const random = createRandom(seed);
  const to = new Date(firstMs + credits * stepMs + 3_600_000);
  const planted: Planted = {
    transactions: [],
    lines: [],
    uncredited: new Map(),
    from: new Date(firstMs),
    to,
  };
  const kinds = Object.values<Planting>(plantings);
  for (let index = 0; planted.lines.length < credits; index += 1) {
    const place = placeOf(index, wallets, random);
    if (random.isOneIn(25)) random.pick(kinds)(place, planted);
    else if (random.isOneIn(50)) twins(place, planted);
    else matching(place, planted);
  }
  shuffle(planted.lines, random);
  return planted;
}

function placeOf(index: number, wallets: readonly PlantedWallet[], random: Random): Place {
  const wallet = random.pick(wallets);
  const other = random.pick(wallets.filter(({ id }) => id !== wallet.id));
  const { code, decimals } = random.pick(assets);
  const blockTime = new Date(firstMs + index * stepMs);
  const completedAt = new Date(blockTime.getTime() + 120_000);
  // Six decimals, of which the last is not 0: a rounding changes it.
  const micros =
    BigInt(1 + random.upTo(900)) * 1_000_000n + BigInt(120_001 + random.upTo(80_000) * 10);
  const amountAtomic = micros * 10n ** BigInt(decimals - 6);
  const one: PlantedTransaction = {
    id: idAt(blockTime.getTime(), index),
    txHash: hashOf(`transaction ${index}`),
    walletId: wallet.id,
    assetCode: code,
    amountAtomic,
    type: "deposit",
    status: "completed",
    blockTime,
    completedAt,
    delivery: null,
  };
  const named = random.pick([
    { transactionId: one.id, txHash: null, walletId: null, address: null },
    { transactionId: one.id, txHash: one.txHash, walletId: null, address: null },
    { transactionId: null, txHash: one.txHash, walletId: wallet.id, address: null },
    { transactionId: null, txHash: one.txHash, walletId: null, address: wallet.address },
  ]);
  const credit = {
    reference: `credit-${index}`,
    creditedAt: new Date(completedAt.getTime() + 3_000),
    asset: code,
    amount: toDecimal(amountAtomic, decimals),
    ...named,
  };
  return { received: one, credit, decimals, other, random };
}

function shuffle<T>(items: T[], random: Random): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = random.upTo(last + 1);
    const [one, two] = [items[last], items[other]];
    if (one === undefined || two === undefined) continue;
    items[last] = two;
    items[other] = one;
  }
}

/** The columns of `csvRowOf`. */
export const csvHeader =
  "transaction_id,tx_hash,wallet_id,address,asset,amount,reference,credited_at";

/** A line of the file as CSV, without its line break. */
export function csvRowOf(content: Credit | string): string {
  if (typeof content === "string") return content;
  return Object.values(textsOf(content))
    .map((text) => text ?? "")
    .join(",");
}

/** The file in a form that the API takes. The first credit is on line 2 of CSV, else on line 1. */
export function fileOf(planted: Planted, format: "csv" | "jsonl"): string {
  const contents = planted.lines.map(({ content }) => content);
  const rows =
    format === "csv"
      ? [csvHeader, ...contents.map(csvRowOf)]
      : contents.map((one) => (typeof one === "string" ? one : JSON.stringify(textsOf(one))));
  return `${rows.join("\n")}\n`;
}

function textsOf(credit: Credit): Record<string, string | null> {
  return {
    transaction_id: credit.transactionId,
    tx_hash: credit.txHash,
    wallet_id: credit.walletId,
    address: credit.address,
    asset: credit.asset,
    amount: credit.amount,
    reference: credit.reference,
    credited_at: credit.creditedAt.toISOString(),
  };
}
