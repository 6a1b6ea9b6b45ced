import { checkpointBlocks, type Position } from "../../domain/chain/block.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { OldBlockLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { WitnessGate } from "./witness-gate.ts";

export type OldBlocks = {
  /**
   * True if a block of a confirmed height is one of the chain's own. It is one in these cases:
   * - It has the hash that is stored for its height.
   * - No hash is stored for its height, and enough endpoints of different hosts have the block.
   * - No hash is stored for its height, no endpoint contradicts, and its descendants lead to a
   *   stored hash. They are hashed, and followed by their parents' hashes.
   *
   * The endpoint is believed where it is the chain's only one and its headers cannot be hashed. A
   * block that is not of the chain is logged. Safe to repeat.
   * @throws Fault `rpc_unavailable`, `rpc_inconsistent`, `database_unavailable`
   */
  isOfChain: (block: Position) => Promise<boolean>;
};

type Ports = {
  chain: Pick<ChainSource, "ancestors">;
  gate: Pick<WitnessGate, "isSaidByOthers">;
  ledger: OldBlockLedger;
  log: Logger;
};

/** Headers that are asked for together. */
const headersAtOnce = 256;

/**
 * The gate for blocks that are read again long after they were confirmed (docs/invariants.md#i13).
 */
export function createOldBlocks(ports: Ports, chainName: string): OldBlocks {
  return {
    async isOfChain(block) {
      const isIt = await judge(ports, chainName, block);
      const { number, hash } = block;
      if (!isIt) ports.log.warn({ chain: chainName, block: number, hash }, "block.not_linked");
      return isIt;
    },
  };
}

async function judge(ports: Ports, chainName: string, block: Position): Promise<boolean> {
  const anchor = await ports.ledger.readAnchor(chainName, block.number);
  if (anchor?.number === block.number) return anchor.hash === block.hash;
  const said = await ports.gate.isSaidByOthers(block);
  if (said === "agreed" || said === "disputed") return said === "agreed";
  const linked = anchor === null ? null : await walkDown(ports, chainName, { anchor, to: block });
  return linked === null ? said === "alone" : linked;
}

/**
 * From a stored hash down to the block's height; checkpoints on the way are kept. Null: headers
 * cannot be hashed.
 */
async function walkDown(
  { chain, ledger }: Ports,
  chainName: string,
  way: { anchor: Position; to: Position },
): Promise<boolean | null> {
  let at = way.anchor;
  while (at.number > way.to.number) {
    const left = at.number - way.to.number;
    const count = left < headersAtOnce ? Number(left) : headersAtOnce;
    const below = await chain.ancestors({ of: at, count });
    if (below === null) return null;
    const checkpoints = below.filter(({ number }) => number % checkpointBlocks === 0n);
    if (checkpoints.length > 0) await ledger.keepCheckpoints(chainName, checkpoints);
    at = below.at(-1) ?? way.to;
  }
  return at.hash === way.to.hash;
}
