import type { Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { DifferingChange } from "../../domain/money/balance-change.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { CommitOutcome } from "../../domain/watch/commit.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import { applyDifference, type Watchlist } from "../../domain/watch/watchlist.ts";
import { type Confirmable, findConfirmable } from "../confirmable.ts";
import { matchMovements } from "../match-movements.ts";
import { type ProvingChain, proveBalances } from "../prove-balances.ts";
import { askNext, type NextBlock, type NextChain } from "./next-block.ts";

type Chain = NextChain & ProvingChain & Pick<ChainSource, "head">;

type Committed = Extract<CommitOutcome, { kind: "committed" }>;

type Ledger = Pick<HeadLedger, "readHash" | "commitBlock">;

export type AdvanceOutcome =
  | (Committed & {
      block: Position;
      headNumber: bigint;
      confirmable: Confirmable;
      /** Wallets whose movements of the coin do not add up to their balance's change: not confirmed. */
      differing: DifferingChange[];
    })
  /** The position is the head. */
  | { kind: "at_head" }
  /** The endpoint's head is an ancestor of the position: it lags, which is no reorg. */
  | { kind: "endpoint_lags"; headNumber: bigint }
  /** The position is on a branch that the endpoint does not serve any more. `isLower`: its new branch is still the shorter one. */
  | { kind: "reorganised"; isLower: boolean }
  /** Another watcher, an undo or a reset moved the position first. */
  | { kind: "position_moved" };

export type AdvanceInput = {
  chainName: string;
  position: Position;
  /** The head as last seen, to spare a question while catching up; null to ask. */
  knownHead: bigint | null;
  /** The block after the position, where it has been read already. */
  next: NextBlock | null;
  list: Watchlist;
  policy: ConfirmationPolicy;
};

/** Below every height: the confirmed height never goes back. */
const nothingNew = -1n;

/**
 * One bounded step: the block after the position goes into the ledger, or the outcome says why not. Safe to repeat at
 * any time and by any number of processes; only `list` is changed, to the version that was matched with.
 */
export async function advance(
  ports: { chain: Chain; ledger: Ledger },
  input: AdvanceInput,
): Promise<AdvanceOutcome> {
  const { chainName, position, list, policy } = input;
  const number = position.number + 1n;
  let headNumber = input.knownHead;
  if (input.next !== null)
    headNumber = headNumber === null || headNumber < number ? number : headNumber;
  if (headNumber === null || headNumber < number) {
    const head = await ports.chain.head();
    if (head.number < position.number) {
      const stored = await ports.ledger.readHash(chainName, head.number);
      return stored === head.hash
        ? { kind: "endpoint_lags", headNumber: head.number }
        : { kind: "reorganised", isLower: true };
    }
    if (head.number === position.number) {
      return head.hash === position.hash
        ? { kind: "at_head" }
        : { kind: "reorganised", isLower: false };
    }
    headNumber = head.number;
  }

  const next = input.next ?? (await askNext(ports.chain, number, policy));
  const { block, tag, witness } = next;
  if (block.header.parentHash !== position.hash) return { kind: "reorganised", isLower: false };
  const tip = block.header;
  const { header } = block;
  const matched = matchMovements(chainName, block, list);
  const [confirmable, proofs] = await Promise.all([
    findConfirmable(ports, { chainName, tip, tag, policy, witness }),
    proveBalances(ports.chain, { list, blocks: [{ header, matched }] }),
  ]);
  const outcome = await ports.ledger.commitBlock({
    chainName,
    parent: position,
    header,
    headNumber,
    watchVersion: list.version,
    match: (difference) => {
      if (difference === null) return proofs.mark({ header, matched });
      applyDifference(list, difference);
      return proofs.mark({ header, matched: matchMovements(chainName, block, list) });
    },
    confirmedNumber: confirmable.kind === "confirmable" ? confirmable.number : nothingNew,
  });
  return outcome.kind === "committed"
    ? { ...outcome, block: tip, headNumber, confirmable, differing: proofs.differing }
    : outcome;
}
