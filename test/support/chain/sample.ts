import { existsSync, readFileSync } from "node:fs";
import { inCheckout } from "../checkout.ts";

/** What a node answered about one block. What was not recorded is null. */
export type Sample = {
  /** The file, without its folder and ending. */
  name: string;
  /**
   * EIP-155 id of the chain it is of; see samples.json for those that the recording does not name.
   */
  chainId: number;
  number: bigint;
  block: Answer;
  receipts: Answer[] | null;
  parityTraces: unknown[] | null;
  /** Of debug_traceBlockByHash with the callTracer. */
  debugTraces: unknown[] | null;
  /** Why it is not a whole truth; null: nothing says that it is not. */
  edited: string | null;
};

export type Answer = Record<string, unknown>;

/** What is known of a recorded file beside the recording itself. */
type Note = { chainId: number; edited?: string };

const folder = inCheckout("..", "shared", "chain-samples");
const notes = JSON.parse(
  readFileSync(inCheckout("test", "real-chains", "samples.json"), "utf8"),
) as Record<string, Note>;

/** The recordings are no part of the project: a stranger's clone is without them. */
export const hasSamples = existsSync(folder);

export function readShared(path: string): unknown {
  return JSON.parse(readFileSync(`${folder}/${path}`, "utf8"));
}

/** Every recorded block that samples.json lists, in its order. */
export function readSamples(): Sample[] {
  return Object.entries(notes).map(([file, note]) => readSample(file, note));
}

/** The recorded files of blocks that samples.json does not list. */
export function unlistedSamples(): string[] {
  const entries = readShared("manifest.json") as { file: string }[];
  return entries.map(({ file }) => file).filter((file) => isBlock(file) && !(file in notes));
}

/** The other recordings are several files, or many blocks in one, and have tests of their own. */
function isBlock(file: string): boolean {
  return file.endsWith(".json") && !file.endsWith("fixture.json");
}

function readSample(file: string, { chainId, edited }: Note): Sample {
  const recorded = readShared(file) as Answer;
  const block = (recorded["block"] ?? recorded) as Answer;
  const receipts = listIn(recorded["receipts"]) as Answer[] | null;
  return {
    name: file.replace(/^.*\//, "").replace(/\.json$/, ""),
    chainId,
    number: BigInt(String(block["number"])),
    block,
    receipts: receipts === null ? null : inOrder(block, receipts),
    parityTraces: listIn(recorded["parity_traces"]),
    debugTraces: listIn(recorded["dtraces"]),
    edited: edited ?? null,
  };
}

/** An empty list stands for what was not recorded. */
function listIn(value: unknown): unknown[] | null {
  return Array.isArray(value) && value.length > 0 ? value : null;
}

/**
 * Some recorded the receipts one by one, in no order; a block's own are in the order of its
 * transactions.
 */
function inOrder(block: Answer, receipts: Answer[]): Answer[] {
  const hashes = ((block["transactions"] ?? []) as (string | Answer)[]).map((one) =>
    typeof one === "string" ? one : one["hash"],
  );
  const placeOf = (receipt: Answer) => hashes.indexOf(String(receipt["transactionHash"]));
  return receipts.toSorted((a, b) => placeOf(a) - placeOf(b));
}
