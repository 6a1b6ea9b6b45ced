import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import { newestAtOrBefore } from "../../domain/chain/newest-at-or-before.ts";
import type { KnownGenesis } from "../../domain/chain/profiles/known-genesis.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import { findConfirmable, ledgerWith, readTag } from "../gate/confirmable.ts";

type Chain = Pick<ChainSource, "head" | "header" | "headers" | "tagged">;

type Ledger = Pick<HeadLedger, "readStartWait" | "startChain">;

/**
 * The number of headers below the first position that are stored: two epochs. A reorg right after
 * the start then finds its ancestor.
 */
const startWindow = 64n;

/**
 * A payment may be in a block whose time is before it by this much, in ms. Ethereum's blocks have
 * the time at which their slot begins, and take payments for some seconds more.
 */
const latePaymentMs = 15_000;

/** The confirmed height if nothing else is confirmed: block 0 has no transactions. */
const genesisNumber = 0n;

/**
 * Gives a chain its first position: the block before `startBlock`, or before the head. If a wallet
 * was added while no endpoint answered, the position is below the payments since then. The block
 * after the position is the first one that is processed. Block 0 has no transactions, and is never
 * processed. With a second endpoint, the start is confirmed only up to where both agree, because
 * opening balances are read there. Nothing is stored until enough hosts serve this chain, or
 * `genesis` names its first block.
 * @returns false while the chain has not reached its start block yet
 */
export async function startWatching(
  ports: { chain: Chain; gate: AgreementGate; ledger: Ledger },
  start: {
    chainName: string;
    genesisHash: Hash;
    genesis: KnownGenesis | null;
    startBlock: bigint | null;
    policy: ConfirmationPolicy;
  },
): Promise<boolean> {
  const { chainName, genesisHash, genesis, startBlock, policy } = start;
  const isKnown = genesisHash === genesis?.hash;
  if (!isKnown && !(await ports.gate.isThisChain(genesisHash))) return false;
  const head = await ports.chain.head();
  const firstProcessed = startBlock ?? (await firstToProcess(ports, { chainName, head }));
  const position = firstProcessed > 0n ? firstProcessed - 1n : 0n;
  if (position > head.number) return false;
  const from = position > startWindow ? position - startWindow : 0n;
  const tag = await readTag(ports.chain, policy);
  const window = await ports.chain.headers(from, position);
  const tip = window.at(-1);
  if (tip === undefined) return false;
  const ledger = ledgerWith(window, null);
  const confirmable = await findConfirmable(
    { gate: ports.gate, ledger },
    { chainName, tip, tag, policy, ballot: null, confirmedNumber: null, readFrom: null },
  );
  const confirmedNumber = confirmable.kind === "confirmable" ? confirmable.number : genesisNumber;
  await ports.ledger.startChain({ chainName, genesisHash, window, confirmedNumber });
  return true;
}

/** The head, or the first block that may have a payment from after a waiting wallet's addition. */
async function firstToProcess(
  { chain, ledger }: { chain: Chain; ledger: Ledger },
  { chainName, head }: { chainName: string; head: Position },
): Promise<bigint> {
  // Read after the head: a wallet that is added between the two is watched from the head on.
  const wait = await ledger.readStartWait(chainName);
  if (wait === null) return head.number;
  const { timeMs } = await chain.header(head.number);
  // The clock of a local chain may be ahead.
  const aheadMs = Math.max(0, timeMs - wait.nowMs);
  const pastMs = wait.sinceMs + aheadMs - latePaymentMs;
  if (timeMs <= pastMs) return head.number;
  const past = await newestAtOrBefore(chain.header, { timeMs: pastMs, below: head.number });
  return past === null ? genesisNumber + 1n : past.number + 1n;
}
