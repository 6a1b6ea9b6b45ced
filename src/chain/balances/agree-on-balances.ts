import type { Hash } from "../../domain/chain/block.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "leader" | "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

/** A null amount: the token's contract fails. */
type Said = { host: string; amounts: readonly (bigint | null)[] };

const ruleAt = (place: number, needed: number): AgreementRule<Said> => ({
  needed,
  isSame: (one, other) => one.amounts[place] === other.amounts[place],
});

/**
 * Reads balances on which endpoints of `needed` hosts agree. If only one host answers, its answers
 * are taken. Each balance is judged by itself, so a wrong answer or a failing token delays only its
 * own balance.
 * @throws Fault `state_unavailable`, `rpc_unavailable` if no host answers
 */
export async function agreeOnBalances(
  { pool, verify, needed }: { pool: Pool; verify: Verify; needed: number },
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<BalancesRead> {
  const read = async (endpoint: Endpoint): Promise<Said> => ({
    host: endpoint.host,
    amounts: await readBalances(endpoint, blockHash, questions),
  });
  const first = await pool.first(read, verify);
  const rules = questions.map((_, place) => ruleAt(place, needed));
  const answers = await askHosts(pool.inOrder(), first, {
    async ask(endpoint) {
      await verify(endpoint);
      return read(endpoint);
    },
    isEnough: (values) => rules.every((rule) => isAgreed(rule)(values)),
  });
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
