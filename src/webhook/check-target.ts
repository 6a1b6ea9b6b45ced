import { isIP } from "node:net";
import type { ResolveHost } from "./resolve-host.ts";
import {
  checkAddress,
  parseTarget,
  policyFor,
  refusal,
  type TargetPolicy,
} from "./target-guard.ts";

/**
 * Makes the check of a URL at registration: its text, and every address that its name has now. A
 * business cannot register a URL that could never be notified. The same rules guard every
 * connection that a delivery makes.
 * @returns the check, which returns the normal form of the URL, to store and compare
 * @throws Fault `invalid_url`, `target_refused`
 */
export function createTargetCheck(options: {
  policy: TargetPolicy;
  resolve: ResolveHost;
  timeoutMs: number;
}): (url: string, businessId: string) => Promise<string> {
  const { resolve, timeoutMs } = options;
  return async (text, businessId) => {
    const policy = policyFor(options.policy, businessId);
    const target = parseTarget(text, policy);
    if (isIP(target.hostname) !== 0) return target.url;
    const addresses = await resolve(target.hostname, AbortSignal.timeout(timeoutMs)).catch(() => {
      throw refusal(`the name '${target.hostname}' cannot be resolved`);
    });
    for (const address of addresses) {
      const verdict = checkAddress(address, target, policy);
      if (verdict.kind === "refused") throw refusal(verdict.reason);
    }
    return target.url;
  };
}
