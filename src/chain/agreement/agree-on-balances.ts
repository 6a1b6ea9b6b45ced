import type { Hash } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { readBalances } from "../balances/asking/read-balances.ts";
import { type Endpoint, isAbsentIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { askHosts, isAgreed, untilThere } from "./ask-hosts.ts";

export type Pool = Pick<EndpointPool, "leader" | "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

/** A null amount: the token's contract fails. */
type Said = { host: string; amounts: readonly (bigint | null)[] };

type Asking = { pool: Pool; verify: Verify; needed: number; clock: Clock };

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
  const isNew = pool.inOrder().some((one) => one.isNewest(blockHash));
  const first = await readFirst(() => pool.first(read, verify), isNew ? clock : null);
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
  const { answers } =
    isNew && isPatient
      ? await untilThere(clock, askOthers, ({ isBehind }) => !isBehind)
      : await askOthers();
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

/** Asks again while no host has the block. `clock` null: asks once, because the block is old. */
async function readFirst(ask: () => Promise<Said>, clock: Clock | null): Promise<Said> {
  if (clock === null) return ask();
  const orAbsence = () =>
    ask().then(
      (said) => ({ said }),
      (error: unknown) => {
        if (isAbsence(error)) return { error };
        throw error;
      },
    );
  const answer = await untilThere(clock, orAbsence, (one) => "said" in one);
  if ("said" in answer) return answer.said;
  throw answer.error;
}

/** True if a host says that it does not have the block. */
function isAbsence(error: unknown): boolean {
  return isAbsentIn(faultIn(error)?.cause);
}
