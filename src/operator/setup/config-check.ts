import type { EndpointCheck, EndpointRate } from "../../domain/setup/endpoint-check.ts";
import { defineCommand } from "../define-command.ts";

type ConfigFault = { path: string; message: string };

export type ConfigCheckPorts = {
  checkConfig: () => Promise<{
    /** Null: there is no file, and none was named. */
    path: string | null;
    faults: readonly ConfigFault[];
    endpoints: readonly { chain: string; check: EndpointCheck }[];
  }>;
};

/**
 * Shows every fault of file and environment, and how each endpoint answers. Only reads. Needs
 * neither database nor queue.
 */
export const configCheck = defineCommand({
  noun: "config",
  name: "check",
  help: "Name every fault of file and environment, and ask each endpoint what it offers and how fast. Exit status 3 where anything is wrong.",
  examples: ["config check", "config check --json"],
  takes: {},
  run: async ({ checkConfig }: ConfigCheckPorts, _: object) => {
    const { path, faults, endpoints } = await checkConfig();
    return {
      file: path,
      faults: faults.map(({ path: place, message }) => ({ path: place || "the file", message })),
      endpoints: endpoints.map(({ chain, check }) => ({ chain, ...shown(check) })),
    };
  },
  hasFindings: ({ faults, endpoints }) =>
    faults.length > 0 || endpoints.some(({ fault }) => fault !== null),
});

function shown(check: EndpointCheck) {
  const { name, chainId, head, history, receipts, traces, announcesHeads, takesBatches, rate } =
    check;
  return {
    endpoint: name,
    chain_id: chainId,
    head: head === null ? null : Number(head.number),
    age_s: head === null ? null : Math.round(head.ageMs / 1_000),
    history,
    receipts,
    traces,
    websocket: announcesHeads,
    batch: takesBatches,
    rate: rate === null ? null : rateText(rate),
    fault: check.faults.join("; ") || null,
  };
}

function rateText(rate: EndpointRate): string {
  return rate.kind === "kept up"
    ? `${rate.perSecond} a second`
    : `refused after ${rate.after}: ${rate.reason}`;
}
