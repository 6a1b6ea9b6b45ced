import type { Position } from "../../domain/chain/block.ts";
import type { OpeningProgress } from "../../domain/chain/chain-status.ts";
import { Fault } from "../../domain/fault.ts";
import { groupedBy } from "../../domain/grouped-by.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { DueOpening, DueOpenings, ReadOpening } from "../../domain/watch/opening.ts";
import type { Wait } from "../../domain/watch/patience.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import { askAgain, unlessGone } from "../gate/ask-again.ts";
import type { Rounds } from "../gate/rounds.ts";
import { isShown } from "../gate/shown.ts";

type Chain = Pick<ChainSource, "balancesAt" | "isAlone">;

type Ledger = Pick<
  BalanceLedger,
  "readPosition" | "readDueOpenings" | "readNextBalances" | "makeBalances" | "recordOpenings"
>;

/** An opening that only one of several endpoints reports. */
type Waiting = Wait & { number: bigint; opening: ReadOpening };

/**
 * `disputed`: heights at which hosts dispute an opening. `failing`: openings whose token's contract
 * fails.
 */
type ReadGroup = {
  shown: ReadOpening[];
  waiting: Waiting[];
  disputed: bigint[];
  failing: DueOpening[];
};

/**
 * The number of balances that one step reads. It sends one batch of requests. A block that comes
 * during its transaction waits for some milliseconds. The median time to a notification is 1.4
 * times the usual. With 40 it was 1.75 times, and openings took nearly twice as long. With 500 it
 * was 4.2 times, before steps gave way to blocks.
 */
const openingsPerStep = 100;

type Ports = {
  chain: Chain;
  rounds: Rounds<BalanceKey>;
  ledger: Ledger;
  /** Awaited before each transaction that takes the chain's lock. */
  giveWay: () => Promise<void>;
};

/**
 * One bounded step (docs/invariants.md#i9): reads the balances that newly watched wallets had when
 * watching began, at that block's hash. If that state is gone, or a token's contract fails in it,
 * reads them at the position instead. Then the ledger subtracts the entries between. If the
 * contract fails there too, only that opening is due again. A step continues after the openings of
 * the step before. After the last due opening, or if none was recorded, it makes the next balances
 * of an added asset. They are due in the next step. Safe to repeat.
 * @returns how many openings were due and recorded, and the progress of an added asset; null: none
 *   was added
 */
export async function readOpenings(
  ports: Ports,
  chainName: string,
): Promise<{ due: number; recorded: number; made: OpeningProgress | null }> {
  const { ledger, rounds } = ports;
  const make = async () => {
    const toMake = await ledger.readNextBalances(chainName, openingsPerStep);
    if (toMake === null) return null;
    const shown = await readShown(ports.chain, toMake.due);
    await ports.giveWay();
    return ledger.makeBalances(toMake, shown);
  };
  return rounds.step(
    (after) => ledger.readDueOpenings(chainName, { after, limit: openingsPerStep }),
    async ({ due, next }: DueOpenings) => {
      const atEnd = next === null ? await make() : null;
      const recorded = await openAll(ports, chainName, due);
      const made = next === null || recorded > 0 ? atEnd : await make();
      return { due: due.length, recorded, made };
    },
  );
}

/**
 * Reads openings of one height there, and answers those that are shown. Each other one is due once
 * its balance is made: nothing waits here, and no failure of an endpoint counts.
 */
async function readShown(chain: Chain, due: DueOpening[]): Promise<ReadOpening[]> {
  const [first] = due;
  if (first === undefined || first.atHash === null) return [];
  const at = { number: first.atNumber, hash: first.atHash };
  const asked = await askAgain(readAt(chain, at, due));
  return asked.kind === "read" ? asked.answer.shown : [];
}

/**
 * Reads each height by itself. One about which endpoints fail is due again.
 * @returns how many were recorded
 * @throws the first failure, if none was recorded
 */
async function openAll(ports: Ports, chainName: string, due: DueOpening[]): Promise<number> {
  const waiting: Waiting[] = [];
  const disputed: bigint[] = [];
  const refused: bigint[] = [];
  const failures: unknown[] = [];
  let recorded = 0;
  for (const [number, group] of groupedBy(due, ({ atNumber }) => atNumber)) {
    const asked = await askAgain(readGroup(ports, chainName, { number, group }));
    if (asked.kind !== "read") {
      failures.push(asked.error);
      continue;
    }
    const read = asked.answer;
    recorded += await record(ports, chainName, read.shown);
    waiting.push(...read.waiting);
    disputed.push(...read.disputed);
    refused.push(...read.failing.map(({ atNumber }) => atNumber));
  }
  const claims = { silent: waiting, disputed, refused };
  const passed = ports.rounds.gate.waitFor("opening", claims);
  const alone = waiting.filter(({ subject }) => passed.has(subject)).map(({ opening }) => opening);
  recorded += await record(ports, chainName, alone);
  if (recorded === 0 && failures.length > 0) throw failures[0];
  return recorded;
}

async function record(
  { ledger, giveWay }: Ports,
  chainName: string,
  openings: readonly ReadOpening[],
): Promise<number> {
  if (openings.length === 0) return 0;
  await giveWay();
  return ledger.recordOpenings(chainName, openings);
}

async function readGroup(
  ports: { chain: Chain; ledger: Ledger },
  chainName: string,
  due: { number: bigint; group: [DueOpening, ...DueOpening[]] },
): Promise<ReadGroup> {
  const { number, group } = due;
  const hash = group[0].atHash;
  const read =
    hash === null ? null : await unlessGone(readAt(ports.chain, { number, hash }, group));
  if (read !== null && read.failing.length === 0) return read;
  const position = await ports.ledger.readPosition(chainName);
  // After a reorg to below that height, the openings are no longer due.
  const isDue = position !== null && position.number >= number;
  if (!isDue) return read ?? { shown: [], waiting: [], disputed: [], failing: [] };
  if (read === null) return readAt(ports.chain, position, group);
  const later = await unlessGone(readAt(ports.chain, position, read.failing));
  if (later === null) return read;
  return {
    shown: [...read.shown, ...later.shown],
    waiting: [...read.waiting, ...later.waiting],
    disputed: [...read.disputed, ...later.disputed],
    failing: later.failing,
  };
}

/** Sorts each opening by what shows it. A disputed or a failing one is due again later. */
async function readAt(chain: Chain, at: Position, group: DueOpening[]): Promise<ReadGroup> {
  const read = await chain.balancesAt(at.hash, group);
  const { amounts, proofs, disputed, reverted, silent } = read;
  if (amounts.length !== group.length)
    throw new Fault("invariant_broken", "A balance is missing from the answer.");
  const { number } = at;
  const outcome: ReadGroup = {
    shown: [],
    waiting: [],
    disputed: disputed.map(() => number),
    failing: group.filter((_, place) => reverted.includes(place) && !disputed.includes(place)),
  };
  for (const [place, due] of group.entries()) {
    if (disputed.includes(place) || reverted.includes(place)) continue;
    const amountAtomic = amounts[place] ?? 0n;
    const proof = proofs[place] ?? "answered";
    const opening = { ...due, amountAtomic, readNumber: number, readHash: at.hash, proof };
    // All openings of a height wait as one subject, so that an import waits only once.
    const subject = `openings at ${due.atNumber}`;
    if (isShown(chain, read, place)) outcome.shown.push(opening);
    else outcome.waiting.push({ subject, silent, number, opening });
  }
  return outcome;
}
