import type { RecordedBlockFinding } from "../../domain/setup/recorded-block.ts";
import { defineCommand } from "../define-command.ts";
import { block, optional, required, text } from "../parameter.ts";

export type BlockRecordPorts = {
  /**
   * Asks an endpoint for all data of a block, and writes them into a new file.
   * @throws Fault `invalid_request` if there is no such chain, or if the file exists
   * @throws Fault `wrong_chain_id`, `rpc_unavailable`, `rpc_inconsistent`
   */
  recordBlock: (asked: {
    chain: string;
    number: bigint;
    /** Null: the first endpoint of the configured chain. */
    url: string | null;
    /** Null: a name made of chain and number. */
    path: string | null;
  }) => Promise<{ path: string; bytes: number; findings: readonly RecordedBlockFinding[] }>;
};

type Input = {
  chain: string;
  number: number;
  rpc: string | undefined;
  out: string | undefined;
};

/**
 * Records one block, so that it can be read again without an endpoint. The file has only facts of
 * the chain: not the endpoint's URL, and not its messages. Changes nothing else.
 */
export const blockRecord = defineCommand({
  noun: "block",
  name: "record",
  help: "Record one block as an endpoint answers it: header, transactions, receipts, traces, balances. The file has no URL in it, and can be sent in.",
  examples: [
    "block record --chain ethereum --number 24000000",
    "block record --chain 80094 --number 1000000 --rpc https://rpc.example --out block.json.gz",
  ],
  takes: {
    chain: required("--chain <name>", text, "a configured chain, a known one, or a chain id"),
    number: required("--number <number>", block, "the block's number"),
    rpc: optional("--rpc <url>", text, "this endpoint; otherwise the configured chain's first"),
    out: optional("--out <file>", text, "the file; otherwise CHAINID-NUMBER.json.gz"),
  },
  run: async ({ recordBlock }: BlockRecordPorts, { chain, number, rpc, out }: Input) => {
    const asked = { chain, number: BigInt(number), url: rpc ?? null, path: out ?? null };
    const { path, bytes, findings } = await recordBlock(asked);
    return {
      file: path,
      bytes,
      parts: [...findings],
      send_in:
        "Attach the file to an issue, or add it to test/real-chains/recordings (CONTRIBUTING.md).",
    };
  },
});
