import type { Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import { lastOf } from "../../domain/last-of.ts";
import type { Period, Spans } from "../../domain/spans.ts";
import type { AgreementGate, Ballot } from "../../domain/watch/agreement-gate.ts";
import type { TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { CommitOutcome } from "../../domain/watch/commit.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { HeightLedger } from "../gate/confirmable.ts";
import { type Blocks, prepareCommit } from "../prepare-commit.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { logCommit, type ReportingPorts, reportTrouble } from "../report-commit.ts";
import { measure, reportCommit } from "../report-spans.ts";
import { maySettle } from "./confirm-at-head.ts";

type Ports = ReportingPorts & {
  chain: ProvingChain;
  gate: AgreementGate;
  ledger: HeightLedger & Pick<HeadLedger, "commitBlocks">;
  clock: Clock;
  spans: Spans;
};

/** The state that the blocks are written on. */
export type CommitBase = { state: ChainState; parent: Position; list: Watchlist };

/** Consecutive blocks to write together, and how they were read, as far as confirming needs it. */
export type Run = {
  /** `range`: far below the head, where pending transactions are not notified. */
  kind: "newest" | "range";
  /** Oldest first. */
  blocks: Blocks;
  headNumber: bigint;
  /** Must be read before the last of the blocks. Null: the policy names no tag. */
  tag: TaggedBlock | null;
  /** The votes of other endpoints on the height to confirm. Null: they are asked now. */
  ballot: Ballot | null;
  /** The host that the last block was just read from, which counts as its vote. Null: none. */
  readFrom: string | null;
  /** When the last of the blocks was read. */
  read: Period;
};

/**
 * Writes consecutive blocks into the ledger in one transaction: matches and proves them, commits,
 * and reports. Writes only if the ledger's position is still the expected one
 * (docs/invariants.md#i1, #i4, #i5). Safe to repeat.
 * @throws Fault `rpc_unavailable`, `rpc_inconsistent`, `database_unavailable`
 */
export async function commitRun(
  ports: Ports,
  { chainName, policy }: { chainName: string; policy: ConfirmationPolicy },
  { base, run }: { base: CommitBase; run: Run },
): Promise<CommitOutcome> {
  const { state, parent, list } = base;
  const { blocks, headNumber } = run;
  const { confirmedNumber, settleNumber } = state;
  const [first, ...others] = blocks;
  const headers = [first.header, ...others.map(({ header }) => header)] as const;
  const tip = lastOf(headers);
  const proved = measure(ports.clock);
  const [prepared, isSettled] = await Promise.all([
    prepareCommit(ports, { ...run, chainName, list, policy, confirmedNumber }),
    maySettle(ports, { chainName, settleNumber, tip }),
  ]);
  const prove = proved();
  const written = measure(ports.clock);
  const { ledger, log, spans } = ports;
  const outcome = await ledger.commitBlocks({
    kind: run.kind,
    chainName,
    parent,
    headers,
    headNumber,
    watched: prepared.watched,
    match: prepared.match,
    confirmedNumber: prepared.confirmedNumber,
    isAgreed: prepared.isAgreed,
    isSettled,
  });
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
