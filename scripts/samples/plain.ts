import type { Recording } from "../../src/chain/recording/recording.ts";

export type Answer = Record<string, unknown>;

/** A file with a block, and with its receipts and traces where they were collected. */
export function plainRecording(sample: Answer, { chainId }: { chainId: number }): Recording {
  const block = (sample["block"] ?? sample) as Answer;
  const receipts = listIn(sample["receipts"]) as Answer[] | null;
  const parity = listIn(sample["parity_traces"]);
  const isEmpty = Array.isArray(block["transactions"]) && block["transactions"].length === 0;
  return {
    chainId,
    block,
    receipts: receipts === null ? (isEmpty ? [] : null) : inOrder(block, receipts),
    traces: parity === null ? null : { kind: "parity", answer: parity },
    balances: [],
  };
}

/** An empty list stands for what was not collected. */
function listIn(value: unknown): unknown[] | null {
  return Array.isArray(value) && value.length > 0 ? value : null;
}

/** Some collected the receipts one by one, in no order. */
function inOrder(block: Answer, receipts: Answer[]): Answer[] {
  const hashes = ((block["transactions"] ?? []) as (string | Answer)[]).map((one) =>
    typeof one === "string" ? one : one["hash"],
  );
  const placeOf = (receipt: Answer) => hashes.indexOf(String(receipt["transactionHash"]));
  return receipts.toSorted((a, b) => placeOf(a) - placeOf(b));
}
