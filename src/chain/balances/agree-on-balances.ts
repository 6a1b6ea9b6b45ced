import type { Hash } from "../../domain/chain/block.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { readBalances } from "./read-balances.ts";

export type Pool = Pick<EndpointPool, "first" | "inOrder" | "blame">;
export type Admit = (endpoint: Endpoint) => Promise<void>;

type Said = { endpoint: Endpoint; amounts: readonly bigint[] };

/**
 * Balances as endpoints of two hosts say them alike; where only one host answers, as it says.
 * @throws Fault `rpc_inconsistent` where hosts answer and no two of them say the same; `state_unavailable`,
 *   `rpc_unavailable` where none answers
 */
export async function agreeOnBalances(
  { pool, admit }: { pool: Pool; admit: Admit },
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<BalancesRead> {
  const read = async (endpoint: Endpoint): Promise<Said> => ({
    endpoint,
    amounts: await readBalances(endpoint, blockHash, questions),
  });
  const first = await pool.first(read, admit);
  const heard = [first];
  for (const endpoint of pool.inOrder()) {
    if (heard.some((one) => one.endpoint.host === endpoint.host)) continue;
    const next = await answered(async () => {
      await admit(endpoint);
      return read(endpoint);
    });
    if (next === null) continue;
    const same = heard.find((one) => isEqual(one.amounts, next.amounts));
    if (same !== undefined) return { amounts: [...next.amounts], proof: "agreed" };
    heard.push(next);
  }
  if (heard.length === 1) return { amounts: [...first.amounts], proof: "answered" };
  throw disagreement(blockHash, heard, questions);
}

/** Null where it does not answer; that is in its health. */
async function answered(work: () => Promise<Said>): Promise<Said | null> {
  try {
    return await work();
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

function isEqual(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((amount, index) => amount === b[index]);
}

function disagreement(
  blockHash: Hash,
  heard: readonly Said[],
  questions: readonly BalanceQuestion[],
): Fault {
  const [one, other] = heard;
  const at = questions.findIndex((_, index) => one?.amounts[index] !== other?.amounts[index]);
  const { walletAddress, assetAddress } = questions[at] ?? {};
  const names = heard.map(({ endpoint }) => endpoint.name);
  return new Fault(
    "rpc_inconsistent",
    `Endpoints ${names.join(" and ")} differ in what ${walletAddress} has of ${assetAddress} after block ${blockHash}.`,
    { facts: { endpoints: names.join(", "), blockHash } },
  );
}
