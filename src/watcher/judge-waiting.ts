import type { BlockHeader } from "../domain/chain/block.ts";
import { groupedBy } from "../domain/grouped-by.ts";
import type {
  BalanceVerdict,
  DifferingChange,
  ProvenChange,
  WaitingChange,
} from "../domain/money/balance-change.ts";
import { type LoadedBlock, nativeAddress } from "../domain/money/movement.ts";
import type { AgreementGate } from "../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { Wait } from "../domain/watch/patience.ts";
import { type WatchedAsset, type Watchlist, watchlistOf } from "../domain/watch/watchlist.ts";
import { askAgain } from "./gate/ask-again.ts";
import { matchMovements } from "./match-movements.ts";
import { judgeChanges, type ProvingChain } from "./prove-balances.ts";

export type WaitingPorts = {
  chain: ProvingChain & Pick<ChainSource, "header" | "loadBlock" | "showsInternalMoves">;
  gate: Pick<AgreementGate, "waitFor">;
};

/** A waiting change, with the header of its block. */
type Change = Omit<WaitingChange, "block"> & { block: BlockHeader };

/** A change that no longer waits. See ProvenChange. */
type Settled = { change: WaitingChange } & Pick<ProvenChange, "isAgreed" | "isAlone">;

/**
 * The outcome for a change. `waits`: another endpoint has to show `what`, and the hosts in `silent`
 * have not answered.
 */
type Outcome =
  | { kind: "settled"; isAgreed: boolean }
  | { kind: "waits"; what: Reason; silent: readonly string[] }
  /** Hosts contradict each other about `what`. */
  | { kind: "disputed"; what: "balance" | "trace" }
  /**
   * A host that traced this block before does not answer with its traces now. That is not silence.
   */
  | { kind: "refused" }
  /** Two hosts agree on other movements than the stored ones. */
  | { kind: "misread" };

/** The results for waiting changes. */
type Judged = { settled: Settled[]; differing: (DifferingChange & Change)[]; misread: Change[] };

/** The things that a change may wait for. */
const reasons = ["balance", "trace", "state"] as const;

type Reason = (typeof reasons)[number];

/** A waiting change, with the subject whose patience counts. */
type Waiting = Wait & { number: bigint; change: Change };

/**
 * Judges changes that wait for a proof. Balances that add up settle a change. If only a trace names
 * the other party, another host's trace must agree. If that cannot be had now, the change waits for
 * as long as the gate says, each by itself. If another host contradicts, it waits without limit. If
 * no endpoint traces, a change that the block's hash covers is settled at once. Then balances alone
 * settle one that only a trace has shown. A block that no endpoint gives settles nothing, and
 * delays no other.
 */
export async function judgeWaiting(
  ports: WaitingPorts,
  of: { chainName: string; rows: readonly WaitingChange[] },
): Promise<Judged> {
  const { chain, gate } = ports;
  const judged: Judged = { settled: [], differing: [], misread: [] };
  const waiting = { balance: [], trace: [], state: [] } as Record<Reason, Waiting[]>;
  const disputed = { balance: [], trace: [], state: [] } as Record<Reason, bigint[]>;
  const refused = { balance: [], trace: [], state: [] } as Record<Reason, bigint[]>;
  const byBalances = await judgeBlocks(chain, of.rows);
  refused.state.push(...byBalances.refused);
  for (const [change, verdict] of byBalances.verdicts) {
    if (verdict.kind === "differs") {
      judged.differing.push({ ...change, ...verdict });
      continue;
    }
    const outcome = await judgeTraces(chain, { ...of, change, verdict });
    if (outcome.kind === "settled")
      judged.settled.push({ change, isAgreed: outcome.isAgreed, isAlone: false });
    else if (outcome.kind === "disputed") disputed[outcome.what].push(change.block.number);
    else if (outcome.kind === "refused") refused.trace.push(change.block.number);
    else if (outcome.kind === "misread") judged.misread.push(change);
    else {
      const subject = `${change.walletId} in ${change.block.hash}`;
      const { number } = change.block;
      waiting[outcome.what].push({ subject, number, change, silent: outcome.silent });
    }
  }
  for (const what of reasons) {
    const claims = { silent: waiting[what], disputed: disputed[what], refused: refused[what] };
    const passed = gate.waitFor(what, claims);
    for (const { subject, change } of waiting[what])
      if (passed.has(subject)) judged.settled.push({ change, isAgreed: false, isAlone: true });
  }
  return judged;
}

type Verdicts = (readonly [Change, BalanceVerdict])[];

/**
 * Judges the changes of each block by its balances. `refused`: the heights of blocks about which no
 * endpoint answers now.
 */
async function judgeBlocks(
  chain: WaitingPorts["chain"],
  rows: readonly WaitingChange[],
): Promise<{ verdicts: Verdicts; refused: bigint[] }> {
  const byBlock = groupedBy(rows, ({ block }) => block.hash);
  const asked = [...byBlock.values()].map(async (ofBlock) => ({
    number: ofBlock[0].block.number,
    judged: await askAgain(judgeBlock(chain, ofBlock)),
  }));
  const blocks = await Promise.all(asked);
  return {
    verdicts: blocks.flatMap(({ judged }) => (judged.kind === "read" ? judged.answer : [])),
    refused: blocks.flatMap(({ number, judged }) => (judged.kind === "read" ? [] : number)),
  };
}

/**
 * Judges the changes of one block by its balances. Where balances cannot show every move, only
 * traces are compared. So all changes count as proved by balances.
 */
async function judgeBlock(
  chain: WaitingPorts["chain"],
  rows: readonly [WaitingChange, ...WaitingChange[]],
): Promise<Verdicts> {
  const { number, hash } = rows[0].block;
  const block = await chain.header(number);
  // Another block is at that height now. The watcher will undo the stored one.
  if (block.hash !== hash) return [];
  const changes = rows.map((row): Change => ({ ...row, block }));
  const isTraced = await chain.showsInternalMoves(hash);
  const seesAll = isTraced && (await chain.seesEveryMove(hash));
  const isCompared = ({ isOnlyTraced }: Change) => seesAll || (!isTraced && isOnlyTraced);
  const others = changes.filter((change) => !isCompared(change));
  return [
    ...others.map((change) => [change, { kind: "proved" }] as const),
    ...(await judgeChanges(chain, changes.filter(isCompared))),
  ];
}

type Asked = {
  chainName: string;
  change: Change;
  verdict: Exclude<BalanceVerdict, { kind: "differs" }>;
};

async function judgeTraces(chain: WaitingPorts["chain"], asked: Asked): Promise<Outcome> {
  const { change, verdict } = asked;
  if (!change.isOnlyTraced || chain.isAlone()) return outcomeOfBalances(change, verdict);
  const { walletAddress, block } = change;
  if (!(await chain.showsInternalMoves(block.hash))) return outcomeOfBalances(change, verdict);
  // An endpoint had shown the traces before. A refusal settles nothing, and no other change waits
  // for it.
  const read = await askAgain(chain.loadBlock(block.number));
  if (read.kind !== "read") return { kind: "refused" };
  const loaded = read.answer;
  if (loaded.header.hash !== block.hash) return { kind: "waits", what: "trace", silent: [] };
  const shown = (await chain.agreeOnMoves(loaded, [walletAddress]))(walletAddress);
  switch (shown.kind) {
    case "agreed":
      return isWritten(shown.block, asked)
        ? { kind: "settled", isAgreed: true }
        : { kind: "misread" };
    case "disputed":
      return { kind: "disputed", what: "trace" };
    case "refused":
      return { kind: "refused" };
    case "silent":
      return isWritten(loaded, asked)
        ? { kind: "waits", what: "trace", silent: shown.hosts }
        : { kind: "disputed", what: "trace" };
    case "alone":
      return isWritten(loaded, asked)
        ? outcomeOfBalances(change, verdict)
        : { kind: "disputed", what: "trace" };
    // If the balances are proved, they decide which of the amounts is right.
    case "other_amounts":
      if (verdict.kind === "unknown" || !isWritten(loaded, asked))
        return { kind: "disputed", what: "trace" };
      return outcomeOfBalances(change, verdict);
  }
}

/**
 * The outcome by balances alone. Without a state, only what the block's hash covers is settled;
 * movements that only a trace shows wait.
 */
function outcomeOfBalances({ isOnlyTraced }: Change, verdict: Asked["verdict"]): Outcome {
  const { kind } = verdict;
  if (kind === "unshown") return { kind: "waits", what: "balance", silent: verdict.silent };
  if (kind === "disputed") return { kind: "disputed", what: "balance" };
  if (kind === "unknown" && isOnlyTraced) return { kind: "waits", what: "state", silent: [] };
  return { kind: "settled", isAgreed: false };
}

/** True if the block has exactly the stored movements of this wallet. */
function isWritten(block: LoadedBlock, { chainName, change }: Asked): boolean {
  const { identities } = change;
  const held = matchMovements(chainName, block, watchedIn(change)).map(({ identity }) => identity);
  return [...held].sort().join() === [...identities].sort().join();
}

/**
 * The wallet and the coin as they were watched in that block, whatever was added or removed later.
 */
export function watchedIn(change: WaitingChange): Watchlist {
  const { walletId, businessId, walletAddress, purpose, assetId, assetKind, block } = change;
  const since = block.number - 1n;
  const wallet = { id: walletId, businessId, address: walletAddress, purpose, since };
  const asset: WatchedAsset = { id: assetId, address: nativeAddress, kind: assetKind, since };
  return watchlistOf([{ wallet, asset }]);
}
