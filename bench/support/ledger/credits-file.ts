import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import pg from "pg";

/** Of a hundred transactions, how many have each mistake. All others are credited as they are. */
const planted = [
  "not_credited",
  "credited_twice",
  "other_amount",
  "other_asset",
  "before_confirmed",
  "not_received",
] as const;

/** Transactions that are read at once. */
const atOnce = 10_000;

type Received = { id: string; hash: string; address: string; amount: string; at: string };

/**
 * Writes a CSV of credits for each transaction of a bulk journal of ETH, in its order: one in a
 * hundred with each of the planted mistakes. Answers how often each verdict is right.
 */
export async function writeCredits(
  databaseUrl: string,
  file: string,
): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const stream = createWriteStream(file);
  const right: Record<string, number> = { matches: 0 };
  const count = (verdict: string) => {
    right[verdict] = (right[verdict] ?? 0) + 1;
  };
  stream.write("reference,credited_at,tx_hash,address,asset,amount\n");
  let after = "00000000-0000-0000-0000-000000000000";
  for (let number = 0; ; ) {
    const { rows } = await client.query<Received>(
      `SELECT t.id, t.tx_hash AS hash, w.address, trim_scale(t.amount / 10::numeric ^ 18)::text AS amount,
        to_char(t.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
      FROM transaction t JOIN wallet w ON w.id = t.wallet_id WHERE t.id > $1 ORDER BY t.id LIMIT ${atOnce}`,
      [after],
    );
    let text = "";
    for (const row of rows) {
      const mistake = planted[number % 100];
      text += linesOf(row, number, mistake).join("");
      if (mistake !== undefined) count(mistake);
      if (mistake === undefined || mistake === "credited_twice") count("matches");
      // What is credited by another hash is not credited by its own.
      if (mistake === "not_received") count("not_credited");
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
  return right;
}

function linesOf(
  { hash, address, amount, at }: Received,
  number: number,
  mistake: (typeof planted)[number] | undefined,
): string[] {
  const line = (of: { hash?: string; asset?: string; amount?: string; at?: string }) =>
    `r${number},${of.at ?? at},${of.hash ?? hash},${address},${of.asset ?? "ETH"},${of.amount ?? amount}\n`;
  switch (mistake) {
    case undefined:
      return [line({})];
    case "not_credited":
      return [];
    case "credited_twice":
      return [line({}), line({})];
    case "other_amount":
      return [line({ amount: `1${amount}` })];
    case "other_asset":
      return [line({ asset: "USDC" })];
    case "before_confirmed":
      return [line({ at: "2024-12-01T00:00:00Z" })];
    case "not_received":
      return [line({ hash: `0x${"f".repeat(56)}${number.toString(16).padStart(8, "0")}` })];
  }
}
