import { defineCommand } from "../define-command.ts";
import { count, required } from "../take.ts";
import type { LocalPorts } from "./local-chain.ts";

/** Replaces the newest blocks of the local chain by empty ones, so that what was in them is undone. Not safe to repeat. */
export const reorg = defineCommand({
  noun: null,
  name: "reorg",
  help: "Replace the newest blocks of the local chain of development mode by empty ones: what was in them is dropped or reversed.",
  examples: ["reorg 3"],
  takes: { depth: { ...required("<blocks>", count, ""), kind: "argument" as const } },
  run: async ({ openLocalChain }: LocalPorts, { depth }: { depth: number }) => {
    const { from, to } = await (await openLocalChain()).reorg(depth);
    return { replaced_from: Number(from), replaced_to: Number(to) };
  },
});
