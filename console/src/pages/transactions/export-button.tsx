import { csvLine } from "../../../../src/domain/csv.ts";
import { saveFile } from "../../format/save-file.ts";
import { isoText } from "../../format/time.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import type { Schema } from "../../wire/api.ts";
import { readTransactions } from "../parts/read-transactions.ts";
import type { TransactionQuery } from "./query.ts";

const columns = [
  "id",
  "date",
  "type",
  "status",
  "amount",
  "asset",
  "blockchain",
  "tx_hash",
  "from_address",
  "to_address",
  "wallet_id",
  "reference",
  "label",
  "usd_value",
] as const;

/** The fields of a row that a list leaves out unless they are asked for. */
export const include = "reference,label,usd_value,fee";

// A browser keeps this many rows in memory without trouble. Use the API to read more.
const most = 50_000;

/** Saves the transactions that pass the filters as CSV: all pages, and at most `most` rows. */
export function ExportButton({ query }: { query: TransactionQuery }) {
  const { isBusy, run } = useAction(async () => {
    const { cursor: _, ...all } = query;
    const { rows, isWhole } = await readTransactions({ ...all, include }, { most });
    saveFile("transactions.csv", csvOf(rows));
    const count = rows.length;
    if (isWhole) showToast("good", fillCount(text.common.exported, count));
    else showToast("warn", fill(text.common.exportedPart, { count }));
  });
  return (
    <Button icon="download" isDisabled={isBusy} onClick={run}>
      {isBusy ? text.common.exporting : text.common.export}
    </Button>
  );
}

/** Saves the rows that were selected, as CSV or as JSON Lines. */
export function ExportSelected({ rows }: { rows: readonly Schema<"Transaction">[] }) {
  return (
    <>
      <Button icon="download" onClick={() => saveFile("transactions.csv", csvOf(rows))}>
        CSV
      </Button>
      <Button
        icon="download"
        onClick={() =>
          saveFile(
            "transactions.jsonl",
            rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
            "application/x-ndjson",
          )
        }
      >
        JSON Lines
      </Button>
    </>
  );
}

/** The rows as CSV. A field that none of them has is no column: its list does not have it. */
function csvOf(rows: readonly Schema<"Transaction">[]): string {
  const own = columns.filter((name) => rows.some((row) => row[name] !== undefined));
  const hasFees = rows.some((row) => row.fee !== undefined);
  const cellsOf = (row: Schema<"Transaction">) => [
    ...own.map((name) => (name === "date" ? isoText(row.date) : (row[name] ?? null))),
    ...(hasFees ? [row.fee?.amount ?? null, row.fee?.asset ?? null] : []),
  ];
  const head = [...own, ...(hasFees ? ["fee", "fee_asset"] : [])];
  return [head, ...rows.map(cellsOf)].map(csvLine).join("");
}
