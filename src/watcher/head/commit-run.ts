import type { Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { Period, Spans } from "../../domain/spans.ts";
import type { Ballot, TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { CommitOutcome, RangeOutcome } from "../../domain/watch/commit.ts";
import type { CatchUpLedger, HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { type Blocks, prepareCommit } from "../prepare-commit.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { logCommit, type ReportingPorts, reportTrouble } from "../report-commit.ts";
import { measure, reportCommit } from "../report-spans.ts";
import { maySettle } from "./confirm-at-head.ts";

type Ports = ReportingPorts & {
  chain: ProvingChain;
  gate: WitnessGate;
  ledger: Pick<HeadLedger, "commitBlock"> & CatchUpLedger;
  clock: Clock;
  spans: Spans;
};

/** The state on which blocks are written. */
export type CommitBase = { state: ChainState; parent: Position; list: Watchlist };

/**
 * Consecutive blocks that are written together, and what confirming needs of how they were read.
 */
export type Run = {
  /** `range`: far below the head, where nobody is notified of what is pending. */
  kind: "newest" | "range";
  /** Oldest first. */
  blocks: Blocks;
  headNumber: bigint;
  /** Read before the last of the blocks was; null where the policy names none. */
  tag: TaggedBlock | null;
  /** The votes of other endpoints on the height to be confirmed. Null: they are asked now. */
  ballot: Ballot | null;
  /** The host that the last block was just read from; null: nobody has vouched for it so. */
  readFrom: string | null;
  /** When the last of them was read. */
  read: Period;
};

/**
 * The way of consecutive blocks into the ledger, in one transaction: matched and proved, committed,
 * reported. Conditional on the ledger's position (docs/invariants.md#i1, #i4, #i5); safe to repeat.
 * @throws Fault `rpc_unavailable`, `rpc_inconsistent`, `database_unavailable`
 */
export async function commitRun(
  ports: Ports,
  { chainName, policy }: { chainName: string; policy: ConfirmationPolicy },
  { base, run }: { base: CommitBase; run: Run },
): Promise<CommitOutcome | RangeOutcome> {
  const { state, parent, list } = base;
  const { blocks, headNumber } = run;
  const { confirmedNumber, settleNumber } = state;
  const [first, ...others] = blocks;
  const headers = [first.header, ...others.map(({ header }) => header)] as const;
  const tip = headers.at(-1) ?? first.header;
  const proved = measure(ports.clock);
  const [prepared, isSettled] = await Promise.all([
    prepareCommit(ports, { ...run, chainName, list, policy, confirmedNumber }),
    maySettle(ports.gate, { settleNumber, tip }),
  ]);
  const prove = proved();
  const written = measure(ports.clock);
  const commit = {
    chainName,
    parent,
    headers,
    headNumber,
    watchVersion: prepared.watchVersion,
    match: prepared.match,
    confirmedNumber: prepared.confirmedNumber,
    isAgreed: prepared.isAgreed,
    isSettled,
  };
  const { ledger, log, spans } = ports;
  const outcome = await (run.kind === "range"
    ? ledger.commitRange(commit)
    : ledger.commitBlock(commit));
  if (outcome.kind !== "committed") return outcome;
  reportCommit(spans, {
    chainName,
    tip,
    blocks: blocks.length,
    read: run.read,
    prove,
    commit: written(),
    ids: outcome.ids,
  });
  logCommit(log, { chainName, kind: run.kind, headers, headNumber, outcome });
  await reportTrouble(ports, chainName, prepared);
  return outcome;
}
