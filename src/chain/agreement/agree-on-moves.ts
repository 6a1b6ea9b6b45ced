import type { Address } from "../../domain/chain/address.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import { judgeMoves, type MovesVerdict } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { assemble, type Tools } from "../blocks/asking/assemble.ts";
import { readBlock } from "../blocks/asking/load-block.ts";
import type { Capabilities } from "../endpoints/capabilities.ts";
import { type Endpoint, failureKindIn, isGoneIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { askHosts, notAsked } from "./ask-hosts.ts";
import { isAway } from "./collect-votes.ts";

type Asking = {
  pool: Pick<EndpointPool, "inOrder" | "hosts">;
  clock: Clock;
  verify: (endpoint: Endpoint) => Promise<void>;
  capabilities: Pick<Capabilities, "hasTraced">;
  needed: number;
};

/**
 * Asks hosts how wallets move the coin in a block that was read with its traces. Asks one host
 * after another for that block, until enough of them show the same for each of these wallets. Asks
 * nobody if the block's hash covers all of it, or if the chain has one host.
 */
export async function agreeOnMoves(
  asking: Asking,
  read: { block: LoadedBlock; wallets: readonly Address[] },
  tools: Tools,
): Promise<(wallet: Address) => MovesVerdict> {
  const { block, wallets } = read;
  const { pool, needed } = asking;
  const isCovered = block.evidence.traces !== "answered" || tools.rules.tracing === "off";
  const isAgreed = (values: readonly LoadedBlock[]) =>
    wallets.every((one) => judgeMoves({ values, silent: notAsked }, needed, one).kind === "agreed");
  const endpoints = isCovered || pool.hosts() === 1 ? [] : pool.inOrder();
  const answers = await askHosts(endpoints, block, {
    ask: (endpoint) => readAgain(asking, { endpoint, block }, tools),
    isEnough: isAgreed,
  });
  return (wallet) => judgeMoves(answers, needed, wallet);
}

/**
 * Reads the block again on another host. Null: the host has another block or does not answer, or it
 * has traced before and lost that block's traces. `cannot`: it has never traced, so it has no say.
 * `refused`: it has traced before, and now refuses.
 */
async function readAgain(
  { verify, clock, capabilities }: Asking,
  { endpoint, block: { header } }: { endpoint: Endpoint; block: LoadedBlock },
  tools: Tools,
): Promise<LoadedBlock | "cannot" | "refused" | null> {
  const hasTraced = () => capabilities.hasTraced(endpoint);
  if (endpoint.capabilities.tracing !== "off") {
    if (isAway(endpoint, clock)) return null;
    try {
      await verify(endpoint);
      const parts = await readBlock(endpoint, header.number, tools.rules);
      if (parts.tracing !== "off")
        return parts.block.hash === header.hash ? assemble(parts, tools) : null;
    } catch (error) {
      if (isGoneIn(error)) return (await hasTraced()) ? null : "cannot";
      if (isRefusal(error) && (await hasTraced())) return "refused";
      throw error;
    }
  }
  return (await hasTraced()) ? "refused" : "cannot";
}

/** True if the endpoint answers, but does not offer this. */
function isRefusal(error: unknown): boolean {
  const kind = failureKindIn(error);
  return kind === "refused" || kind === "unsupported";
}
