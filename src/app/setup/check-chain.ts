import { checkEndpoints } from "../../chain/check-endpoints.ts";
import type { ChainConfig } from "../../config/config.ts";
import { systemClock as clock } from "../../runtime/clock.ts";

/**
 * Asks each endpoint of a chain what it offers, including the traces that the configuration names.
 * Never throws.
 */
export async function checkChain(
  { name, chainId, rpcUrls, profile, tracing }: ChainConfig,
  { asksRate }: { asksRate: boolean },
) {
  const mayStandStill = profile.family === "development";
  const checks = await checkEndpoints(rpcUrls, { chainId, mayStandStill, asksRate, clock });
  return checks.map((check) => {
    const isNamed = tracing === "debug" || tracing === "parity";
    const isMissing = isNamed && check.traces !== null && check.traces !== tracing;
    const missing = isMissing ? [`it has no traces by ${tracing}`] : [];
    return { chain: name, check: { ...check, faults: [...check.faults, ...missing] } };
  });
}
