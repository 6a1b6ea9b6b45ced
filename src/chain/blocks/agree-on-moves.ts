import type { Address } from "../../domain/chain/address.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import { judgeMoves, type MovesVerdict } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askHosts, notAsked } from "../endpoints/ask-hosts.ts";
import type { Capabilities } from "../endpoints/capabilities.ts";
import { type Endpoint, failureKindIn, isGoneIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { type LoadRules, readBlock } from "./asking/load-block.ts";
import { assemble } from "./assemble.ts";
import { isAway } from "./collect-votes.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

type Asking = {
  pool: Pick<EndpointPool, "inOrder" | "hosts">;
  clock: Clock;
  verify: (endpoint: Endpoint) => Promise<void>;
  capabilities: Pick<Capabilities, "hasTraced">;
  needed: number;
};

/**
 * Asks hosts how wallets move the coin in a block that has been read with its traces. Asks other
 * hosts for that very block until enough of them show the same for each of these wallets. Asks
 * nobody where the block's hash covers every part of it, or where the chain has one host.
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
 * Null: it has another block, or is away. A host that does not trace, or no longer has the traces,
 * has no say, unless it has traced before. A host that has traced and no longer has the traces of
 * that block is silent. A host that has traced and refuses to is not: it answers `refused`.
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

/** True if the endpoint is well, and says that it does not answer this. */
function isRefusal(error: unknown): boolean {
  const kind = failureKindIn(error);
  return kind === "refused" || kind === "unsupported";
}
