import type { Hash } from "../../domain/chain/block.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

type Said = { host: string; amounts: readonly bigint[] };

/** Any two hosts will do: a balance that is wrong is compared again. */
const ruleAt = (place: number): AgreementRule<Said> => ({
  needed: 2,
  isSame: (one, other) => one.amounts[place] === other.amounts[place],
});

/**
 * Balances as endpoints of two hosts say them alike; where only one host answers, as it says. Each
 * balance is judged by itself: a lie about one of them keeps no other one waiting.
 * @throws Fault `state_unavailable`, `rpc_unavailable` where none answers
 */
export async function agreeOnBalances(
  { pool, verify }: { pool: Pool; verify: Verify },
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<BalancesRead> {
  const read = async (endpoint: Endpoint): Promise<Said> => ({
    host: endpoint.host,
    amounts: await readBalances(endpoint, blockHash, questions),
  });
  const first = await pool.first(read, verify);
  const rules = questions.map((_, place) => ruleAt(place));
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
  const isOf = (kind: string) => verdicts.flatMap((one, place) => (one.kind === kind ? place : []));
  const disputed = isOf("disputed");
  const areAgreed =
    isOf("agreed").length > 0 && isOf("agreed").length + disputed.length === verdicts.length;
  return areAgreed
    ? { amounts, proof: "agreed", disputed, silent: [] }
    : { amounts, proof: "answered", disputed, silent: answers.silent };
}
