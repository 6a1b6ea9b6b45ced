import { z } from "zod";
import type { EndpointSample } from "../../domain/chain/chain-status.ts";
import { count, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";
import { requireChainName } from "./chain-name.ts";

type Ports = { ledger: { readEndpointHistory: (chainName: string) => Promise<EndpointSample[]> } };

/**
 * Shows how the endpoints of a chain answered in the last day.
 * @throws Fault `chain_not_found`
 */
export const chainEndpoints = defineReading({
  noun: "chain",
  http: {
    method: "GET",
    path: "/chains/:name/endpoints",
    summary: "How the endpoints of a chain answered in the last day",
    description:
      "Of every ten minutes and endpoint the longest time of answers and how many requests failed, the oldest first. Where no watcher has reported there is nothing.",
    input: ({ params: { name } }) => ({ name }),
  },
  cli: {
    name: "endpoints",
    help: "Show how the endpoints of a chain answered in the last day: times and failures of every ten minutes.",
    examples: ["chain endpoints ethereum", "chain endpoints ethereum --json"],
    takes: { name: argument("<chain>", "one of the configured chains") },
  },
  check: ({ name }: { name: string }) => requireChainName(name),
  call: ({ ledger }: Ports, name) => ledger.readEndpointHistory(name),
  answer: z.array(
    z.object({
      at: timeText,
      endpoint: z.string(),
      latency_ms: count.nullable().meta({
        description:
          "The endpoint's longest time to answer in the ten minutes, in ms. Each time is that of its last twenty answers or so.",
      }),
      failures: count,
    }),
  ),
  present: (samples) =>
    samples.map(({ at, name, latencyMs, failures }) => ({
      at: at.toISOString(),
      endpoint: name,
      latency_ms: latencyMs,
      failures,
    })),
});
