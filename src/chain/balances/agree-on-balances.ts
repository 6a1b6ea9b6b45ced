import type { Hash } from "../../domain/chain/block.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "leader" | "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

type Said = { host: string; amounts: readonly bigint[] };

const ruleAt = (place: number, needed: number): AgreementRule<Said> => ({
  needed,
  isSame: (one, other) => one.amounts[place] === other.amounts[place],
});

/**
 * Balances as endpoints of `needed` hosts say them alike; where only one host answers, as it says.
 * Each balance is judged by itself: a lie about one of them keeps no other one waiting.
 * @throws Fault `state_unavailable`, `rpc_unavailable` where none answers
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
  const amounts = verdicts.map((verdict, place) => {
    const said = verdict.kind === "agreed" ? verdict.value : first;
    return said.amounts[place] ?? 0n;
  });
  return {
    amounts,
    proofs: verdicts.map(({ kind }) => (kind === "agreed" ? "agreed" : "answered")),
    disputed: verdicts.flatMap(({ kind }, place) => (kind === "disputed" ? place : [])),
    silent: verdicts.some(({ kind }) => kind === "silent") ? answers.silent : [],
  };
}
