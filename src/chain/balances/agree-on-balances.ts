import type { Hash } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import { type Endpoint, isAbsentIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "leader" | "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

/** A null amount: the token's contract fails. */
type Said = { host: string; amounts: readonly (bigint | null)[] };

type Asking = { pool: Pool; verify: Verify; needed: number; clock: Clock };

/**
 * A host behind the same URL may get a new block later than the one that gave it. The state of a
 * new block is asked for this often, with this pause in ms.
 */
const timesAsked = 8;
const betweenMs = 250;

const ruleAt = (place: number, needed: number): AgreementRule<Said> => ({
  needed,
  isSame: (one, other) => one.amounts[place] === other.amounts[place],
});

/**
 * Reads balances on which endpoints of `needed` hosts agree. If only one host answers, its answers
 * are taken. Each balance is judged by itself, so a wrong answer or a failing token delays only its
 * own balance. If every host says that it does not have a new block, they are asked again for some
 * time. Some say the same of an old block whose state they have deleted. With `isPatient`, hosts
 * are also asked again if one that is needed does not have the new block.
 * @throws Fault `state_unavailable`, `rpc_unavailable` if no host answers
 */
export async function agreeOnBalances(
  { pool, verify, needed, clock }: Asking,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
  { isPatient }: { isPatient: boolean },
): Promise<BalancesRead> {
  const read = async (endpoint: Endpoint): Promise<Said> => ({
    host: endpoint.host,
    amounts: await readBalances(endpoint, blockHash, questions),
  });
  const ask = () => pool.first(read, verify);
  const isNew = pool.inOrder().some((one) => one.isNewest(blockHash));
  const first = isNew ? await untilThere(ask, clock) : await ask();
  const rules = questions.map((_, place) => ruleAt(place, needed));
  const isEnough = (values: readonly Said[]) => rules.every((rule) => isAgreed(rule)(values));
  const askOthers = async () => {
    let isBehind = false;
    const answers = await askHosts(pool.inOrder(), first, {
      async ask(endpoint) {
        await verify(endpoint);
        return read(endpoint).catch((error: unknown) => {
          isBehind ||= isAbsence(error);
          throw error;
        });
      },
      isEnough,
    });
    return { answers, isBehind: isBehind && !isEnough(answers.values) };
  };
  let { answers, isBehind } = await askOthers();
  for (let asked = 1; isNew && isPatient && isBehind && asked < timesAsked; asked += 1) {
    await pause(clock);
    ({ answers, isBehind } = await askOthers());
  }
  const verdicts = rules.map((rule) => judge(answers, rule));
  const said = verdicts.map((verdict, place) => {
    const { amounts } = verdict.kind === "agreed" ? verdict.value : first;
    return amounts[place] ?? null;
  });
  const isShown = (place: number) => verdicts[place]?.kind === "agreed" && said[place] !== null;
  return {
    amounts: said.map((amount) => amount ?? 0n),
    proofs: said.map((_, place) => (isShown(place) ? "agreed" : "answered")),
    disputed: verdicts.flatMap(({ kind }, place) => (kind === "disputed" ? place : [])),
    reverted: said.flatMap((amount, place) => (amount === null ? place : [])),
    silent: verdicts.some(({ kind }) => kind === "silent") ? answers.silent : [],
  };
}

/** Asks again while no host has the block. */
async function untilThere<Answer>(ask: () => Promise<Answer>, clock: Clock): Promise<Answer> {
  for (let asked = 1; ; asked += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isAbsence(error) || asked === timesAsked) throw error;
    }
    await pause(clock);
  }
}

/** True if a host says that it does not have the block. */
function isAbsence(error: unknown): boolean {
  return isAbsentIn(faultIn(error)?.cause);
}

const pause = (clock: Clock) => clock.sleep(betweenMs, new AbortController().signal);
