import { type Fault, faultIn } from "../../domain/fault.ts";
import type { Pool, Verify } from "../agreement/agree-on-balances.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";

/**
 * Tries endpoints that offer one of these methods, until one proves an answer. Null: none does. A
 * false proof counts against its endpoint only if another endpoint's proof holds: the fault may be
 * ours.
 */
export async function firstProved<Answer>(
  { pool, verify }: { pool: Pool; verify: Verify },
  methods: readonly string[],
  prove: (endpoint: Endpoint) => Promise<Answer>,
): Promise<Answer | null> {
  const suspects: [Endpoint, Fault][] = [];
  for (const endpoint of pool.inOrder().filter((one) => methods.some(one.offers))) {
    try {
      await verify(endpoint);
      const answer = await prove(endpoint);
      for (const [suspect, fault] of suspects) pool.recordFailure(suspect, fault);
      return answer;
    } catch (error) {
      const fault = faultIn(error);
      if (fault === undefined) throw error;
      if (fault.code === "rpc_inconsistent") suspects.push([endpoint, fault]);
    }
  }
  return null;
}
