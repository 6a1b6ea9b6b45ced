import type { Snapshot } from "./snapshot.ts";

/**
 * `true`: all that is completed and announced is so on the chain, and nothing is missing. `held`:
 * nothing false, but something waits. `alarm`: a balance is not the chain's, and a discrepancy says
 * so. `branch`: what the endpoint's own branch says, every block of it in itself without a flaw.
 * `told`: false, and marked as the word of one endpoint (`answered`); or hidden by the only
 * endpoint, in a balance that shows that it was not compared so far. `FALSE`: money invented,
 * changed, hidden or undone.
 */
export type Verdict = { kind: (typeof verdicts)[number]; why: string[] };

export const verdicts = ["true", "held", "alarm", "branch", "told", "FALSE"] as const;

/**
 * Holds what a ledger says against an honest one at the same moment. `isOnChain` says whether a
 * block is one of the chain's own; `wasOnBranch`, whether the ledger has followed another branch
 * meanwhile; `isAlone`, whether the liar is all it has.
 */
export function judge(
  found: Snapshot,
  honest: Snapshot,
  chain: { isOnChain: (blockHash: string) => boolean; wasOnBranch: boolean; isAlone: boolean },
): Verdict {
  const wrong = [...findInvented(found, honest), ...findUndone(found, honest)];
  const { silent, loud } = findWrongBalances(found, honest, chain);
  const amiss = [...wrong, ...silent];
  if (amiss.length > 0) {
    const isOfBranch = chain.wasOnBranch && wrong.every((one) => one.isOfBranch(chain.isOnChain));
    const isTold = amiss.every((one) => one.isTold);
    const kind = isOfBranch ? "branch" : isTold ? "told" : "FALSE";
    const shown = kind === "FALSE" ? amiss.filter((one) => !one.isTold) : amiss;
    return { kind, why: shown.map(({ what }) => what) };
  }
  if (loud.length > 0) return { kind: "alarm", why: loud.map(({ what }) => what) };
  const waiting = findWaiting(found, honest);
  return { kind: waiting.length > 0 ? "held" : "true", why: waiting };
}

type Wrong = {
  what: string;
  isOfBranch: (isOnChain: (blockHash: string) => boolean) => boolean;
  /** The ledger says that it is the word of one endpoint. */
  isTold: boolean;
};

function findInvented(found: Snapshot, honest: Snapshot): Wrong[] {
  const real = new Set(honest.rows.map(({ key }) => key));
  const announced = new Set(
    honest.announced.filter(({ state }) => state === "confirmed").map(({ key }) => key),
  );
  /** Announced as reversed since, and not completed again: the business knows. */
  const takenBack = new Set(
    found.announced.filter(({ state }) => state === "reversed").map(({ key }) => key),
  );
  const isOff = (blockHash: string) => (isOnChain: (hash: string) => boolean) =>
    !isOnChain(blockHash);
  return [
    ...found.rows
      .filter(({ key, status }) => status.startsWith("completed") && !real.has(key))
      .map(({ key, blockHash, isTold }) => ({
        what: `completed ${key}`,
        isOfBranch: isOff(blockHash),
        isTold,
      })),
    ...found.announced
      .filter(({ key, state }) => state === "confirmed" && !announced.has(key))
      .filter(({ key }) => !takenBack.has(key))
      .map(({ key, blockHash, isTold }) => ({
        what: `announced ${key}`,
        isOfBranch: isOff(blockHash),
        isTold,
      })),
  ];
}

/** What a branch undoes is undone by blocks of it: there is nothing of its own to look at. */
function findUndone(found: Snapshot, honest: Snapshot): Wrong[] {
  const undone = new Set(
    honest.announced.filter(({ state }) => state === "reversed").map(({ key }) => key),
  );
  const real = new Set(
    honest.rows.filter(({ status }) => status === "completed").map(({ key }) => key),
  );
  return found.announced
    .filter(({ key, state }) => state === "reversed" && !undone.has(key) && real.has(key))
    .map(({ key }) => ({ what: `reversed ${key}`, isOfBranch: () => true, isTold: false }));
}

/**
 * Balances that are not the chain's at the height that the ledger has confirmed; `loud`: a
 * discrepancy says so.
 */
function findWrongBalances(
  found: Snapshot,
  honest: Snapshot,
  { isAlone }: { isAlone: boolean },
): Record<"silent" | "loud", Wrong[]> {
  const wrong: Record<"silent" | "loud", Wrong[]> = { silent: [], loud: [] };
  for (const [holding, amount] of found.balances) {
    const waits = found.rows.some(
      ({ key, status }) => status === "pending" && concerns(key, holding),
    );
    // The honest one has not confirmed as much, and does not know yet what the balance began with.
    const isEarly = (honest.balances.get(holding) ?? null) === null;
    const expected = balanceAt(honest, holding, found.confirmed);
    if (amount === null || isEarly || amount === expected || waits) continue;
    const what = `balance of ${holding} is ${amount}, not ${expected}`;
    const list = found.discrepancies.has(holding) ? wrong.loud : wrong.silent;
    const isTold =
      found.toldHoldings.has(holding) ||
      (isAlone && isRightWhereCompared(found, honest, holding)) ||
      found.rows.some(({ key, isTold: isRowTold }) => isRowTold && concerns(key, holding));
    list.push({ what, isOfBranch: () => true, isTold });
  }
  return wrong;
}

/** Nothing above that block claims to have been compared with the chain's balances. */
function isRightWhereCompared(found: Snapshot, honest: Snapshot, holding: string): boolean {
  const compared = found.compared.get(holding) ?? null;
  return (
    compared === null ||
    balanceAt(found, holding, compared) === balanceAt(honest, holding, compared)
  );
}

function concerns(key: string, holding: string): boolean {
  const [wallet = "", code = ""] = holding.split(" ");
  return key.includes(` ${code} for ${wallet},`);
}

function balanceAt({ entries }: Snapshot, holding: string, height: bigint): bigint {
  return entries
    .filter((one) => one.holding === holding && one.blockNumber <= height)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

function findWaiting(found: Snapshot, honest: Snapshot): string[] {
  const why: string[] = [];
  const completed = new Set(
    found.rows.filter(({ status }) => status === "completed").map(({ key }) => key),
  );
  const missing = honest.rows.filter(
    ({ key, status }) => status === "completed" && !completed.has(key),
  );
  for (const { key } of missing) why.push(`not completed: ${key}`);
  if (found.confirmed < honest.confirmed)
    why.push(`confirmed up to ${found.confirmed}, not ${honest.confirmed}`);
  for (const holding of found.discrepancies) why.push(`discrepancy of ${holding}`);
  for (const [holding, amount] of found.balances)
    if (amount === null) why.push(`no opening of ${holding}`);
  const phantoms = new Set(honest.rows.map(({ key }) => key));
  for (const { key, status } of found.rows)
    if (status === "pending" && !phantoms.has(key)) why.push(`pending: ${key}`);
  return why;
}
