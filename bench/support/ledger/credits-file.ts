import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import pg from "pg";
import { toDecimal } from "../../../src/domain/money/amount.ts";
import {
  csvHeader,
  csvRowOf,
  matching,
  type Place,
  type Planted,
  type Planting,
  plantings,
} from "../../../test/support/credits/planted-credits.ts";
import { createRandom } from "../../../test/support/random.ts";

/** The mistakes for which a ledger of confirmed deposits is enough: one in a hundred has each. */
const planted = [
  "an id of nothing",
  "a wallet of nobody",
  "never notified",
  "one line twice",
  "one deposit twice",
  "another customer's wallet",
  "another asset",
  "a code in lower case",
  "atomic units",
  "a fee taken off",
  "too much",
  "too early",
] as const satisfies readonly (keyof typeof plantings)[];

export const plantedKinds = planted.length;

/**
 * Transactions at both ends without a mistake: the credits say the period, and money of its last
 * ten minutes has another cause.
 */
const withoutMistakes = 1_000;

/** Transactions that are read at once. */
const atOnce = 10_000;

const decimals = 18;

type Received = {
  id: string;
  hash: string;
  wallet: string;
  other: string;
  atomic: string;
  at: Date;
};

/** The mistakes of a file: `line verdict cause`, or the transaction that nobody credited. */
export type Mistakes = Set<string>;

/**
 * Writes a CSV of credits for each transaction of a bulk journal of ETH, in its order, with the
 * planted mistakes. The business has at least two wallets. Answers every mistake.
 */
export async function writeCredits(
  databaseUrl: string,
  { file, count }: { file: string; count: number },
): Promise<Mistakes> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const stream = createWriteStream(file);
  const mistakes: Mistakes = new Set();
  const random = createRandom(20_261_127);
  stream.write(`${csvHeader}\n`);
  let line = 1;
  let after = "00000000-0000-0000-0000-000000000000";
  for (let number = 0; ; ) {
    const { rows } = await client.query<Received>(
      `SELECT t.id, t.tx_hash AS hash, t.wallet_id AS wallet, t.amount::text AS atomic, t.completed_at AS at,
        (SELECT w.id FROM wallet w WHERE w.business_id = t.business_id AND w.id <> t.wallet_id LIMIT 1) AS other
      FROM transaction t WHERE t.id > $1 ORDER BY t.id LIMIT ${atOnce}`,
      [after],
    );
    let text = "";
    for (const row of rows) {
      const isEnd = number < withoutMistakes || number >= count - withoutMistakes;
      const made = plant(isEnd ? undefined : planted[number % 100], {
        ...placeOf(row, number),
        random,
      });
      for (const { content, expected } of made.lines) {
        line += 1;
        text += `${csvRowOf(content)}\n`;
        if (expected.verdict !== "matches")
          mistakes.add(`${line} ${expected.verdict} ${expected.cause}`);
      }
      for (const [id, cause] of made.uncredited) mistakes.add(`${id} not_credited ${cause}`);
      number += 1;
    }
    if (!stream.write(text)) await once(stream, "drain");
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  stream.end();
  await finished(stream);
  await client.end();
  return mistakes;
}

function plant(mistake: (typeof planted)[number] | undefined, place: Place): Planted {
  const { blockTime: from, completedAt, id } = place.received;
  const made: Planted = {
    transactions: [],
    lines: [],
    uncredited: new Map(),
    from,
    to: completedAt ?? from,
  };
  const planting: Planting = mistake === undefined ? matching : plantings[mistake];
  planting(place, made);
  // The journal has the transaction in any case.
  if (!made.transactions.some((one) => one.id === id)) made.uncredited.set(id, "not_notified");
  return made;
}

/** Half of the credits name the transaction, and half its hash and wallet. */
function placeOf(
  { id, hash, wallet, other, atomic, at }: Received,
  number: number,
): Omit<Place, "random"> {
  const amountAtomic = BigInt(atomic);
  const credit = {
    reference: `r${number}`,
    creditedAt: new Date(at.getTime() + 3_000),
    asset: "ETH",
    amount: toDecimal(amountAtomic, decimals),
    address: null,
  };
  const received = {
    id,
    txHash: hash,
    walletId: wallet,
    assetCode: "ETH",
    amountAtomic,
    type: "deposit",
    status: "completed",
    blockTime: new Date(at.getTime() - 120_000),
    completedAt: at,
    delivery: null,
  } as const;
  const named =
    number % 200 < 100
      ? { transactionId: id, txHash: null, walletId: null }
      : { transactionId: null, txHash: hash, walletId: wallet };
  return { received, credit: { ...credit, ...named }, decimals, other: { id: other, address: "" } };
}

/** The mistakes that the newest run has found, as `writeCredits` names them. */
export async function readMistakes(databaseUrl: string): Promise<Mistakes> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ found: string }>(
      `SELECT CASE verdict WHEN 'not_credited' THEN transaction_id::text ELSE number::text END
        || ' ' || verdict || ' ' || cause AS found
      FROM credit_line WHERE verdict <> 'matches' AND check_id = (SELECT id FROM credit_check ORDER BY id DESC LIMIT 1)`,
    );
    return new Set(rows.map(({ found }) => found));
  } finally {
    await client.end();
  }
}
