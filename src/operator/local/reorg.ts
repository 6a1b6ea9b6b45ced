import { defineCommand } from "../define-command.ts";
import { count, optional } from "../parameter.ts";
import type { LocalPorts } from "./local-chain.ts";

/**
 * Replaces the newest blocks of the local chain by empty ones. It takes a number of blocks, or
 * those since the newest payment. Returns the transactions that were in them. Not safe to repeat.
 */
export const reorg = defineCommand({
  noun: null,
  name: "reorg",
  help: "Replace the newest blocks of the local chain of development mode by empty ones. Their transactions are dropped or reversed. Without a number: from the newest payment on.",
  examples: ["reorg", "reorg 3"],
  takes: {
    depth: {
      ...optional("[blocks]", count, "how many of the newest blocks"),
      kind: "argument" as const,
    },
  },
  run: async ({ openLocalChain }: LocalPorts, { depth }: { depth: number | undefined }) => {
    const { from, to, undone } = await (await openLocalChain()).reorg(depth ?? null);
    return { replaced_from: Number(from), replaced_to: Number(to), undone };
  },
});
