import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { Spans } from "../../domain/spans.ts";
import type { CommitOutcome } from "../../domain/watch/commit.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { type Blocks, prepareCommit } from "../prepare-commit.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { logCommit, type ReportingPorts, reportTrouble } from "../report-commit.ts";
import { measure, reportCommit } from "../report-spans.ts";
import { maySettle } from "./confirm-at-head.ts";
import type { Holding, WrittenOn } from "./next/holder.ts";

type Ports = ReportingPorts & {
  chain: ProvingChain;
  gate: WitnessGate;
  ledger: Pick<HeadLedger, "readHash" | "readAgedHeight" | "commitBlock">;
  clock: Clock;
  spans: Spans;
};

/** The newest blocks, and what they are written on. */
export type Newest = WrittenOn & {
  chainName: string;
  policy: ConfirmationPolicy;
  /** Oldest first; `last` says where the last of them was read, and what was asked beside it. */
  blocks: Blocks;
  last: Holding["last"];
  headNumber: bigint;
};

/** The way of the newest blocks into the ledger, in one transaction: matched and proved, committed, reported. */
export async function writeNewest(ports: Ports, newest: Newest): Promise<CommitOutcome> {
  const { chainName, policy, list, blocks, last, headNumber } = newest;
  const { position, settleNumber, confirmedNumber } = newest.state;
  const [first, ...others] = blocks;
  const header = (others.at(-1) ?? first).header;
  const of = { chainName, list, policy, confirmedNumber, ...last };
  const proved = measure(ports.clock);
  const [prepared, isSettled] = await Promise.all([
    prepareCommit(ports, { ...of, blocks }),
    maySettle(ports.gate, { settleNumber, tip: header }),
  ]);
  const prove = proved();
  const written = measure(ports.clock);
  const outcome = await ports.ledger.commitBlock({
    chainName,
    parent: position,
    headers: [first.header, ...others.map((block) => block.header)],
    headNumber,
    watchVersion: prepared.watchVersion,
    match: prepared.match,
    confirmedNumber: prepared.confirmedNumber,
    isAgreed: prepared.isAgreed,
    isSettled,
  });
  if (outcome.kind !== "committed") return outcome;
  const periods = { read: last.read, prove, commit: written() };
  const { ids } = outcome;
  reportCommit(ports.spans, { chainName, tip: header, blocks: blocks.length, ...periods, ids });
  logCommit(ports.log, { chainName, header, blocks: blocks.length, headNumber, outcome });
  await reportTrouble(ports, chainName, prepared);
  return outcome;
}
