import { chainName, type World } from "../world.ts";

/** Of the whole chain, by which everything that was hidden has been found. */
const comparisons = 3;

export type Left = {
  kind: "chain" | "age" | "opening" | "comparison" | "proof" | "delivery" | "retry";
  what: string;
};

/** What is left to do. */
export async function readLeft(world: World): Promise<Left[]> {
  await world.tellTime();
  const [row] = await world.sql<{
    position: string | null;
    confirmed: string | null;
    stopped: string | null;
    openings: number;
    unproven: number;
    discrepancies: number;
    waiting: number;
    due: number;
  }>(
    `SELECT c.position_hash AS position, c.confirmed_number::text AS confirmed, c.stopped_code AS stopped,
       (SELECT count(*)::int FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN asset a ON a.id = b.asset_id
        WHERE b.opening IS NULL AND w.removed_at IS NULL AND a.configured) AS openings,
       (SELECT count(*)::int FROM transaction WHERE unproven AND status = 'pending' AND NOT orphaned) AS unproven,
       (SELECT count(*)::int FROM discrepancy) AS discrepancies,
       (SELECT count(*)::int FROM delivery d JOIN webhook h ON h.id = d.webhook_id
        WHERE d.status = 'waiting' AND h.is_active) AS waiting,
       (SELECT count(*)::int FROM delivery d JOIN webhook h ON h.id = d.webhook_id
        WHERE d.status = 'waiting' AND h.is_active
          AND (d.claim_token IS NOT NULL OR d.due_at <= virtual.now())) AS due
     FROM chain c WHERE c.name = $1`,
    [chainName],
  );
  if (row === undefined) return [{ kind: "chain", what: "there is no chain" }];
  const { position, confirmed, stopped, openings, unproven, waiting, due: sendable } = row;
  const { discrepancies } = row;
  const head = world.chain.head();
  const dueNumber = dueHeight(world);
  const due = dueNumber.toString();
  const left: Left[] = [];
  if (position !== head.hash || confirmed !== due) {
    // By age only blocks confirm that are stored: the chain may have been started just now.
    const kind = position === head.hash && world.cast.policy.kind === "age" ? "age" : "chain";
    const what = `the position is ${position}, confirmed ${confirmed} (${stopped}), the head ${head.hash} at ${head.number}`;
    left.push({ kind, what });
  }
  if (openings > 0) left.push({ kind: "opening", what: `${openings} openings are not read` });
  if (unproven > 0) left.push({ kind: "proof", what: `${unproven} transactions are unproven` });
  const { reconciled, comparedAt } = world.known;
  // A comparison below the confirmed height says nothing of what was hidden above it.
  const isCompared = reconciled >= comparisons && comparedAt >= dueNumber && discrepancies === 0;
  if (world.cast.reconciles && !isCompared) {
    const what = `${discrepancies} discrepancies after ${reconciled} comparisons, the last at ${comparedAt}`;
    left.push({ kind: "comparison", what });
  }
  if (waiting > 0) {
    const kind = sendable > 0 ? "delivery" : "retry";
    left.push({ kind, what: `${waiting} deliveries wait, ${sendable} of them are due` });
  }
  return left;
}

/** The height that is to be confirmed where the position is the chain's head. */
function dueHeight({ chain, cast }: World): bigint {
  const { number, timeMs } = chain.head();
  const { policy } = cast;
  switch (policy.kind) {
    case "depth":
      return number - BigInt(policy.depth) + 1n;
    case "tag":
      return BigInt(chain.final());
    case "age": {
      const isOld = (one: { header: { timeMs: number } }) =>
        one.header.timeMs <= timeMs - policy.ageMs;
      return chain.canonical().findLast(isOld)?.header.number ?? -1n;
    }
  }
}

/** So many more confirm what is the head now. */
export function blocksToConfirm({ cast }: World): number {
  const { policy, finalLag, blockMs } = cast;
  switch (policy.kind) {
    case "depth":
      return policy.depth;
    case "tag":
      return finalLag;
    case "age":
      // Of blocks that come at their usual times, one more than are made meanwhile.
      return blockMs === null ? 100 : Math.ceil((policy.ageMs + 1_000) / blockMs) + 1;
  }
}
