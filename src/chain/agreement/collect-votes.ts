import type { Position } from "../../domain/chain/block.ts";
import type { ConfirmationTag } from "../../domain/chain/confirmation.ts";
import type { Ballot, OtherChain, Vote } from "../../domain/watch/agreement-gate.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askTagged } from "../blocks/asking/ask-header.ts";
import { askBlock } from "../blocks/asking/load-block.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { parseHeader } from "../rpc/rpc-block.ts";
import { toQuantity } from "../rpc/rpc-value.ts";

/** Asks endpoints of different hosts about a height. */
export type VoteQuestion = {
  number: bigint;
  /**
   * An endpoint whose block with this tag is lower answers with that block. Null: tags do not
   * matter.
   */
  tag: ConfirmationTag | null;
  /** Asking stops once this many hosts have answered for that height. */
  enough: number;
  /**
   * True if the leader is asked too. False if it has given the answer that the others must judge.
   */
  isLeaderAsked: boolean;
};

/** A chain whose hosts vote. */
export type Voters = {
  /**
   * Asks endpoints about a height. On a chain with several endpoints, no single endpoint confirms
   * or undoes anything.
   */
  witness: (question: VoteQuestion) => Promise<Ballot>;
  /** The host from which blocks are read now. Any question may change it. */
  leadingHost: () => string;
};

/** After this many ms without an answer, the next endpoint is asked too. */
const slowAfterMs = 1_000;

type Asking = {
  clock: Clock;
  verify: (endpoint: Endpoint) => Promise<void>;
  otherChain: () => OtherChain | null;
};

/**
 * Asks endpoints of different hosts for one height, the healthiest first, until enough have
 * answered for it. An endpoint that is slow or behind does not delay the next one. An endpoint that
 * has not answered lately is skipped until its next try is due. Failures go into the endpoint's
 * record.
 */
export async function collectVotes(
  pool: EndpointPool,
  question: VoteQuestion,
  asking: Asking,
): Promise<Ballot> {
  if (pool.hosts() === 1) return { kind: "alone" };
  const { clock } = asking;
  const leader = pool.leader();
  const waiting = oneOfEachHost(
    question.isLeaderAsked ? pool.inOrder() : pool.ofOtherHosts(),
  ).filter((one) => !isAway(one, clock));
  const votes: Vote[] = [];
  const underWay = new Set<Promise<void>>();
  const isFull = ({ position }: Vote) => position.number === question.number;
  const missing = () => question.enough - votes.filter(isFull).length;

  function askNext(): void {
    const endpoint = waiting.shift();
    if (endpoint === undefined) return;
    const answer = askVote(endpoint, question, asking)
      .then((said) => {
        if (said !== null) votes.push({ host: endpoint.host, ...said });
      })
      // The failure is in the endpoint's record. The next endpoint may answer.
      .catch(() => {})
      .finally(() => underWay.delete(answer));
    underWay.add(answer);
  }

  while (missing() > 0) {
    while (underWay.size < missing() && waiting.length > 0) askNext();
    if (underWay.size === 0) break;
    if (waiting.length === 0) await Promise.race(underWay);
    else if (await isSlow(underWay, clock)) askNext();
  }
  return {
    kind: "asked",
    leaderThen: leader.host,
    votes,
    isWhole: waiting.length === 0,
    otherChain: asking.otherChain(),
  };
}

/** True if none of these requests is answered within `slowAfterMs`. */
async function isSlow(underWay: ReadonlySet<Promise<void>>, clock: Clock): Promise<boolean> {
  const answered = new AbortController();
  const first = Promise.race(underWay).then(() => false);
  const slow = clock.sleep(slowAfterMs, answered.signal).then(() => true);
  const outcome = await Promise.race([first, slow]);
  answered.abort();
  return outcome;
}

/** True if the endpoint does not answer, and its next try is not due yet. */
export function isAway({ record }: Endpoint, clock: Clock): boolean {
  return record.silentSinceMs() !== null && record.benchedUntilMs() > clock.elapsed();
}

function oneOfEachHost(endpoints: readonly Endpoint[]): Endpoint[] {
  const hosts = new Set<string>();
  return endpoints.filter(({ host }) => !hosts.has(host) && hosts.add(host));
}

/** Null: the endpoint has no block with that tag. */
async function askVote(
  endpoint: Endpoint,
  question: VoteQuestion,
  { verify }: Asking,
): Promise<Omit<Vote, "host"> | null> {
  await verify(endpoint);
  const { number, tag } = question;
  const tagged = tag === null ? null : await askTagged(endpoint, tag);
  if (tag !== null && tagged === null) return null;
  if (tagged !== null && tagged.number <= number) {
    const isLower = tagged.number < number && (await headOf(endpoint)).number >= number;
    return { position: tagged, isTagLower: isLower };
  }
  const position = await positionAt(endpoint, number);
  return position === null ? null : { position, isTagLower: false };
}

async function positionAt(endpoint: Endpoint, number: bigint): Promise<Position | null> {
  if (endpoint.head !== null && endpoint.head > number) {
    const known = await askKnown(endpoint, number);
    if (known !== null) return known;
  }
  const head = await headOf(endpoint);
  if (head.number <= number) return head;
  return askAt(endpoint, number);
}

async function headOf(endpoint: Endpoint): Promise<Position> {
  const head = parseHeader(await askBlock(endpoint, "latest", false));
  endpoint.head = head.number;
  endpoint.noteHead(head);
  return head;
}

/**
 * A block below the endpoint's last known head, in one request; null: the endpoint has it no
 * longer.
 */
async function askKnown(endpoint: Endpoint, number: bigint): Promise<Position | null> {
  try {
    return await askAt(endpoint, number);
  } catch (error) {
    if (failureKindIn(error) !== null) throw error;
    return null;
  }
}

/** Null: the answer is of another height. */
async function askAt(endpoint: Endpoint, number: bigint): Promise<Position | null> {
  const block = parseHeader(await askBlock(endpoint, toQuantity(number), false));
  return block.number === number ? block : null;
}
