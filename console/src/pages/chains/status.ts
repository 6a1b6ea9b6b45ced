import type { paths } from "../../wire/generated/api-paths.ts";

/** The state of all chains and of the outbox, for the operator. */
export type Status =
  paths["/admin/status"]["get"]["responses"][200]["content"]["application/json"]["data"];

export type ChainStatus = Status["chains"][number];

// A question may be lost: its endpoint is asked again within seconds.
const patienceMs = 5_000;

/** The time in ms for which no endpoint of a chain has answered; null while one of them does. */
export function silenceOf({ endpoints }: ChainStatus): number | null {
  if (endpoints === null || endpoints.length === 0) return null;
  const shortest = Math.min(...endpoints.map(({ silent_ms: silent }) => silent ?? 0));
  return shortest < patienceMs ? null : shortest;
}
