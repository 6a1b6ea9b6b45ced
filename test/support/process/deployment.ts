import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TracingChoice } from "../../../src/domain/chain/block-proof.ts";
import type { Reading } from "../../../src/domain/chain/chain-rules.ts";
import { removeWithUs } from "./reaper.ts";

type ConfiguredChain = {
  name: string;
  /** Its HTTP or its websocket. */
  rpcUrl: string;
  /** Endpoints beside that one. */
  otherRpcUrls?: string[];
  chainId?: number;
  confirmations: number;
  startBlock?: number;
  /** As the file has it; 2000 dollars where nothing is said, none where it is null. */
  nativePrice?: object | null;
  tokens?: { code: string; address: string; decimals: number; price?: object }[];
  tracing?: TracingChoice;
  reading?: Reading;
  /**
   * Between two questions for the head, in ms; 250 where nothing is said, the daemon's own choice
   * where it is null.
   */
  pollMs?: number | null;
  receipts?: "root" | "none";
  proof?: "required" | "agreed";
  /** The chain has no coin; else it is ETH. */
  hasNoCoin?: boolean;
};

/** What a production daemon is configured with; every test has its own. */
export type DaemonSettings = {
  databaseUrl: string;
  /** Null: the queue is in PostgreSQL. */
  redisUrl: string | null;
  chains: ConfiguredChain[];
  /** Ports of 127.0.0.1 that may be notified, by http. */
  receiverPorts: number[];
  /** ms before each attempt. */
  scheduleMs?: number[];
  roles?: string;
  /** Further keys of the file's `webhooks`. */
  webhooks?: object;
  /** Further keys of the file. */
  file?: object;
};

/** The same key and token for all daemons of one test, as in one deployment. */
export type Deployment = { settings: DaemonSettings; encryptionKey: string; adminToken: string };

export function deploymentOf(settings: DaemonSettings): Deployment {
  return {
    settings,
    encryptionKey: randomBytes(32).toString("base64"),
    adminToken: randomBytes(16).toString("hex"),
  };
}

/**
 * Writes the file of a deployment; answers the folder that it is in, to be removed, and the
 * environment of its programs.
 */
export async function configure(deployment: Deployment, port: number) {
  const { settings, encryptionKey, adminToken } = deployment;
  const folder = await mkdtemp(join(tmpdir(), "chainbell-config-"));
  removeWithUs(folder);
  await writeFile(join(folder, "chainbell.yaml"), yamlOf(settings));
  const environment: Record<string, string> = {
    CHAINBELL_CONFIG: join(folder, "chainbell.yaml"),
    DATABASE_URL: settings.databaseUrl,
    CHAINBELL_ENCRYPTION_KEY: encryptionKey,
    CHAINBELL_ADMIN_TOKENS: `test:${adminToken}`,
    PORT: String(port),
    ...(settings.redisUrl === null ? {} : { REDIS_URL: settings.redisUrl }),
    ...(settings.roles === undefined ? {} : { CHAINBELL_ROLES: settings.roles }),
  };
  return { folder, environment };
}

/** JSON is YAML. */
function yamlOf(settings: DaemonSettings): string {
  return JSON.stringify({
    ...settings.file,
    queue: settings.redisUrl === null ? "postgres" : "redis",
    webhooks: {
      ...(settings.scheduleMs === undefined
        ? {}
        : { schedule: settings.scheduleMs.map((ms) => `${ms}ms`) }),
      allow: [{ cidr: "127.0.0.0/8", ports: settings.receiverPorts, http: true }],
      ...settings.webhooks,
    },
    chains: settings.chains.map(chainOf),
  });
}

function chainOf(chain: ConfiguredChain): object {
  const { nativePrice = { usd: 2000 }, pollMs = 250 } = chain;
  const coin = { code: "ETH", ...(nativePrice === null ? {} : { price: nativePrice }) };
  return {
    name: chain.name,
    chain_id: chain.chainId ?? 31_337,
    rpc: [chain.rpcUrl, ...(chain.otherRpcUrls ?? [])],
    confirmations: chain.confirmations,
    ...(pollMs === null ? {} : { poll_interval: `${pollMs}ms` }),
    ...(chain.tracing === undefined ? {} : { tracing: chain.tracing }),
    ...(chain.reading === undefined ? {} : { reading: chain.reading }),
    ...(chain.receipts === undefined ? {} : { receipts: chain.receipts }),
    ...(chain.proof === undefined ? {} : { proof: chain.proof }),
    ...(chain.startBlock === undefined ? {} : { start_block: chain.startBlock }),
    native_asset: chain.hasNoCoin === true ? "none" : coin,
    assets: chain.tokens ?? [],
  };
}
