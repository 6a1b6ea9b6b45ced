import { endpointHost, noProviders } from "../domain/chain/endpoint-host.ts";
import { profileOf } from "../domain/chain/profiles/known-profiles.ts";
import type { ConfigFaultCode } from "../domain/setup/config-fault-codes.ts";
import { type ConfigFault, pathText } from "./config-fault.ts";
import type { Environment } from "./environment.ts";
import { rawAt, rawListAt, rawTextAt } from "./raw-values.ts";

/**
 * The hosts of a chain's endpoints. URLs of one host, or of one provider, count once when endpoints
 * have to agree.
 */
function hostsOf(chain: unknown): Set<string> {
  return new Set(
    rawListAt(chain, "rpc").map((one) => {
      const url = typeof one === "string" ? one : (rawTextAt(one, "url") ?? "");
      const label = rawTextAt(one, "provider");
      if (!URL.canParse(url)) return url;
      return endpointHost(url, label === undefined ? noProviders : new Map([[url, label]]));
    }),
  );
}

/**
 * Finds required settings that are missing. Uses the raw values, so that these faults are reported
 * together with all others. `values` null: the file could not be read, so nothing in it is reported
 * as missing.
 */
export function missingFaults(
  env: Environment,
  values: unknown,
  isProduction: boolean,
): ConfigFault[] {
  const missing: ConfigFault[] = [];
  const require = (
    path: string,
    message: string,
    isThere: boolean,
    code: ConfigFaultCode = "required",
  ) => {
    if (!isThere) missing.push({ path, message, code });
  };
  const queue = rawTextAt(values, "queue");
  const hasRedis = Boolean(env["REDIS_URL"]);
  if (isProduction) {
    require("DATABASE_URL", "is required in production", Boolean(env["DATABASE_URL"]));
    require("CHAINBELL_ENCRYPTION_KEY", "is required in production: 32 bytes in base64, as `openssl rand -base64 32` prints them", Boolean(
      env["CHAINBELL_ENCRYPTION_KEY"],
    ));
  }
  if (values === null) return missing;
  if (isProduction) {
    const chains =
      "at least one is required in production: `chainbell config init` writes one into chainbell.yaml";
    require("chains", chains, rawListAt(values, "chains").length > 0);
    const redis = "is required in production, unless the file says `queue: postgres`";
    require("REDIS_URL", redis, hasRedis || queue !== undefined);
  }
  rawListAt(values, "chains").forEach((chain, index) => {
    const chainId = rawTextAt(chain, "chain_id");
    const isKnown = chainId === undefined || profileOf(Number(chainId)).coin?.code !== null;
    const native = rawAt(chain, "native_asset");
    const isNamed = native === "none" || rawTextAt(native, "code") !== undefined;
    const path = pathText(["chains", index, "native_asset", "code"]);
    require(path, "is required for a chain that is not known here", isKnown || isNamed);
    const count = Number(rawTextAt(rawAt(chain, "witness"), "count"));
    const { size } = hostsOf(chain);
    const counted = pathText(["chains", index, "witness", "count"]);
    require(counted, `needs ${count} endpoints of different hosts, not ${size}`, !(
      count > size
    ), "invalid");
  });
  require("REDIS_URL", "is required because of `queue: redis`", hasRedis || queue !== "redis");
  return missing;
}
