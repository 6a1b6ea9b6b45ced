import { csvLine } from "../../../../src/domain/csv.ts";
import { LargeText } from "../../format/large-text.ts";
import { saveFile } from "../../format/save-file.ts";
import { isoText } from "../../format/time.ts";
import { fillCount, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import type { Schema } from "../../wire/api.ts";
import { exportTransactions } from "../parts/read-transactions.ts";
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

const feeColumns = ["fee", "fee_asset"] as const;

/** The fields of a row that a list leaves out unless they are asked for. */
export const include = "reference,label,usd_value,fee";

/** Saves all transactions that pass the filters as CSV, from an export of the API. */
export function ExportButton({ query }: { query: TransactionQuery }) {
  const { isBusy, run } = useAction(async () => {
    const { cursor: _, ...all } = query;
    const file = new LargeText();
    file.add(csvLine([...columns, ...feeColumns]));
    let count = 0;
    for await (const row of exportTransactions(all)) {
      file.add(csvLine([...cellsOf(row, columns), ...feeOf(row)]));
      count += 1;
    }
    saveFile("transactions.csv", file.parts);
    showToast("good", fillCount(text.common.exported, count));
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
  const lines = rows.map((row) => [...cellsOf(row, own), ...(hasFees ? feeOf(row) : [])]);
  return [[...own, ...(hasFees ? feeColumns : [])], ...lines].map(csvLine).join("");
}

function cellsOf(row: Schema<"Transaction">, names: readonly (typeof columns)[number][]) {
  return names.map((name) => (name === "date" ? isoText(row.date) : (row[name] ?? null)));
}

function feeOf({ fee }: Schema<"Transaction">) {
  return [fee?.amount ?? null, fee?.asset ?? null];
}
