import { checkpointBlocks, type Position } from "../../domain/chain/block.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { OldBlockLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { orNone } from "./ask-again.ts";

export type OldBlocks = {
  /**
   * True if a block of a confirmed height belongs to the chain. It does in these cases:
   * - It has the hash that is stored for its height.
   * - No hash is stored for its height, and enough endpoints of different hosts have the block.
   * - No hash is stored for its height, no endpoint contradicts, and its descendants lead to a
   *   stored hash. Their headers are hashed here, and linked by their parents' hashes.
   *
   * If the chain has only one endpoint and its headers cannot be hashed, that endpoint is trusted.
   * Logs a block that does not belong to the chain. Safe to repeat.
   * @throws Fault `rpc_unavailable`, `rpc_inconsistent`, `database_unavailable`
   */
  isOfChain: (block: Position) => Promise<boolean>;
};

type Ports = {
  chain: Pick<ChainSource, "ancestors">;
  gate: Pick<AgreementGate, "isSaidByOthers">;
  ledger: OldBlockLedger;
  log: Logger;
};

/** The number of headers that are read together. */
const headersAtOnce = 256;

/**
 * Makes the check for blocks that are read again long after they were confirmed
 * (docs/invariants.md#i13).
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
 * Follows the parents' hashes from a stored hash down to the block's height, and stores checkpoints
 * on the way. Null: headers cannot be hashed. False also if no endpoint has one of them any more.
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
    const asked = chain.ancestors({ of: at, count }).then((below) => ({ below }));
    const read = await orNone(asked);
    if (read === null) return false;
    const { below } = read;
    if (below === null) return null;
    const checkpoints = below.filter(({ number }) => number % checkpointBlocks === 0n);
    const kept = { of: way.anchor, checkpoints };
    if (checkpoints.length > 0) await ledger.keepCheckpoints(chainName, kept);
    at = below.at(-1) ?? way.to;
  }
  return at.hash === way.to.hash;
}
