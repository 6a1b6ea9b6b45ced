import { csvLine } from "../../../../src/domain/csv.ts";
import { LargeText } from "../../format/large-text.ts";
import { saveFile } from "../../format/save-file.ts";
import type { Schema } from "../../wire/api.ts";
import { exportTransactions } from "../parts/read-transactions.ts";
import { MonthSums, monthQuery, type Statement } from "./read-statement.ts";

/** The amounts of a line, in the order of their columns. */
export const amountNames = ["before", "incoming", "outgoing", "fees", "other", "after"] as const;

const movementColumns = [
  ...["date", "type", "amount", "asset", "tx_hash", "from_address", "to_address", "id"],
  ...["reference", "label", "usd_value"],
];

/**
 * Saves a wallet's month as CSV: the sums of each asset, then every transaction, then every fee.
 * They come from exports of the API, which fail where they break off.
 * @returns the number of transactions
 */
export async function saveStatement({ wallet, known }: Statement, month: string): Promise<number> {
  const query = monthQuery(wallet.wallet_id, month);
  const sums = new MonthSums();
  const movements = new LargeText();
  let count = 0;
  for (const list of [query, { ...query, type: "fee" as const }]) {
    for await (const row of exportTransactions(list)) {
      sums.add(row);
      count += 1;
      movements.add(csvLine(cellsOf(row)));
    }
  }
  const lines = sums.lines(wallet, known).map((line) => [line.asset, ...amountsOf(line)]);
  const head = [["asset", ...amountNames], ...lines, [], movementColumns].map(csvLine).join("");
  saveFile(`statement-${wallet.blockchain}-${wallet.address}-${month}.csv`, [
    head,
    ...movements.parts,
  ]);
  return count;
}

function amountsOf(line: Statement["lines"][number]): string[] {
  return amountNames.map((name) => line[name] ?? "");
}

function cellsOf(row: Schema<"Transaction">): string[] {
  return [
    row.date,
    row.type,
    row.amount,
    row.asset,
    row.tx_hash,
    row.from_address,
    row.to_address,
    row.id,
    row.reference ?? "",
    row.label ?? "",
    row.usd_value ?? "",
  ];
}
