import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { isEqual, readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "first" | "inOrder" | "recordFailure">;
export type Verify = (endpoint: Endpoint) => Promise<void>;

type Said = { host: string; endpoint: Endpoint; amounts: readonly bigint[] };

/** Any two hosts will do: a balance that is wrong is compared again. */
const rule: AgreementRule<Said> = {
  needed: 2,
  isSame: (one, other) => isEqual(one.amounts, other.amounts),
};

/**
 * Balances as endpoints of two hosts say them alike; where only one host answers, as it says.
 * @throws Fault `rpc_inconsistent` where hosts answer and no two of them say the same;
 *   `state_unavailable`, `rpc_unavailable` where none answers
 */
export async function agreeOnBalances(
  { pool, verify }: { pool: Pool; verify: Verify },
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<BalancesRead> {
  const read = async (endpoint: Endpoint): Promise<Said> => ({
    host: endpoint.host,
    endpoint,
    amounts: await readBalances(endpoint, blockHash, questions),
  });
  const first = await pool.first(read, verify);
  const answers = await askHosts(pool.inOrder(), first, {
    async ask(endpoint) {
      await verify(endpoint);
      return read(endpoint);
    },
    isEnough: isAgreed(rule),
  });
  const verdict = judge(answers, rule);
  if (verdict.kind === "disputed") throw disagreement(blockHash, answers.values, questions);
  return verdict.kind === "agreed"
    ? { amounts: [...verdict.value.amounts], proof: "agreed" }
    : { amounts: [...first.amounts], proof: "answered" };
}

function disagreement(
  blockHash: Hash,
  said: readonly Said[],
  questions: readonly BalanceQuestion[],
): Fault {
  const [one, other] = said;
  const at = questions.findIndex((_, index) => one?.amounts[index] !== other?.amounts[index]);
  const { walletAddress, assetAddress } = questions[at] ?? {};
  const names = said.map(({ endpoint }) => endpoint.name);
  return new Fault(
    "rpc_inconsistent",
    `Endpoints ${names.join(" and ")} differ in what ${walletAddress} has of ${assetAddress} after block ${blockHash}.`,
    { facts: { endpoints: names.join(", "), blockHash } },
  );
}
