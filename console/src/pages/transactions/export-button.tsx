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
const include = "reference,label,usd_value,fee";

// A browser keeps this many rows in memory without trouble. Use the API to read more.
const most = 50_000;

/** Saves the transactions that pass the filters as CSV: all pages, and at most `most` rows. */
export function ExportButton({ query }: { query: TransactionQuery }) {
  const { isBusy, run } = useAction(async () => {
    const { cursor: _, ...all } = query;
    const { rows, isWhole } = await readTransactions({ ...all, include }, most);
    saveFile(
      "transactions.csv",
      [[...columns, "fee", "fee_asset"], ...rows.map(cellsOf)].map(csvLine).join(""),
    );
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

function cellsOf(row: Schema<"Transaction">): (string | null)[] {
  const { fee } = row;
  const cells = columns.map((name) => (name === "date" ? isoText(row.date) : (row[name] ?? null)));
  return [...cells, fee?.amount ?? null, fee?.asset ?? null];
}
