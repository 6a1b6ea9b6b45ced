import { z } from "zod";
import { invalidField } from "../../domain/text.ts";
import { count } from "../../schema/answers.ts";
import { blockField, blockRule, isBlockNumber } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { block, required, text } from "../parameter.ts";
import { requireChainName } from "./chain-name.ts";

type Ledger = {
  rewindChain: (rewind: {
    chainName: string;
    toNumber: bigint;
  }) => Promise<{ from: bigint; to: bigint }>;
};

/**
 * Reads the blocks above a block again. A transaction that is found again causes no notification. A
 * transaction that is not found becomes dropped or reversed. Safe to repeat.
 * @throws Fault `chain_not_found`, `invalid_request`
 */
export const chainRewind = defineChange({
  noun: "chain",
  http: {
    method: "POST",
    path: "/chains/:name/rewind",
    summary: "Read the blocks above a block once more",
    description:
      "A transaction that is found again notifies nobody; any other becomes dropped or reversed.",
    body: z.strictObject({ to_block: blockField }),
    input: ({ params, body }) => ({ name: params.name, toBlock: body.to_block }),
  },
  cli: {
    name: "rewind",
    isTopLevel: true,
    help: "Read the blocks above a block again, as after a reorg. A transaction that is found again stays as it is and notifies nobody; any other becomes dropped or reversed.",
    examples: ["rewind --chain ethereum --to-block 19000000"],
    takes: {
      name: required("--chain <name>", text, "which chain"),
      toBlock: required("--to-block <n>", block, "the last block that is left as it is"),
    },
  },
  check: ({ name, toBlock }: { name: string; toBlock: number }) => {
    const chainName = requireChainName(name);
    if (!isBlockNumber(toBlock)) throw invalidField("to_block", blockRule);
    return { chainName, toNumber: BigInt(toBlock) };
  },
  call: (ledger: Ledger, rewind) => ledger.rewindChain(rewind),
  audit: {
    action: "chain.rewind",
    describe: ({ from, to }, { chainName }) => ({
      subject: chainName,
      details: { from: Number(from), to: Number(to) },
    }),
  },
  answer: z.object({ name: z.string(), from: count, to: count }),
  present: ({ from, to }, { chainName }) => ({
    name: chainName,
    from: Number(from),
    to: Number(to),
  }),
});
