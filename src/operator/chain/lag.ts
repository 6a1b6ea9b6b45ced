import { z } from "zod";
import type { LagSample } from "../../domain/chain/chain-status.ts";
import { count, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";
import { requireChainName } from "./chain-name.ts";

type Ports = { ledger: { readLagHistory: (chainName: string) => Promise<LagSample[]> } };

/** Shows how far Chainbell was behind a chain in the last day. @throws Fault `chain_not_found` */
export const chainLag = defineReading({
  noun: "chain",
  http: {
    method: "GET",
    path: "/chains/:name/lag",
    summary: "How far a chain was behind in the last day",
    description:
      "The most seconds of every ten minutes, the oldest first. Where no watcher has reported there is nothing.",
    input: ({ params: { name } }) => ({ name }),
  },
  cli: {
    name: "lag",
    help: "Show the lag of a chain in the last day: the longest of every ten minutes, in seconds.",
    examples: ["chain lag ethereum", "chain lag ethereum --json"],
    takes: { name: argument("<chain>", "one of the configured chains") },
  },
  check: ({ name }: { name: string }) => requireChainName(name),
  call: ({ ledger }: Ports, name) => ledger.readLagHistory(name),
  answer: z.array(z.object({ at: timeText, seconds: count })),
  present: (samples) => samples.map(({ at, seconds }) => ({ at: at.toISOString(), seconds })),
});
