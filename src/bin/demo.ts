import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../app/app.ts";
import { makeConsoleLinks } from "../app/console-links.ts";
import { type OpenLedger, openLedger } from "../app/environment/open-ledger.ts";
import { loadConfig, processEnvironment } from "../config/load-config.ts";
import { secretsOf } from "../config/secrets.ts";
import { removeEmbeddedPostgres } from "../development/postgres/embedded-postgres.ts";
import { faultIn } from "../domain/fault.ts";
import { createLogger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import { travel } from "./demo/journey.ts";
import { populate } from "./demo/populate.ts";
import { startReceiver } from "./demo/receiver.ts";
import { startStubReceiver } from "./demo/stub-receiver.ts";
import { exitStatusOf } from "./process/exit-status.ts";
import { listenForSignals } from "./process/signals.ts";
import { readVersion } from "./process/version.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The businesses of a demo with `--keep`, in the order in which they are made. */
const names = ["Demo Ltd", "Corner Shop", "Northwind Exchange"];

await run();
process.exit();

/**
 * `npm run demo`: the whole journey in development mode with fresh data, all of which is deleted at
 * the end. It uses free ports, and PORT for the API if that is set. With `--keep` there is more to
 * see, and it runs until a signal ends it.
 */
async function run(): Promise<void> {
  const isKept = process.argv.includes("--keep");
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-demo-"));
  try {
    await demonstrate(dataDir, isKept);
    say("Done: everything arrived, every signature was verified, nothing is left running.");
  } catch (error) {
    process.stderr.write(
      `chainbell: the demo failed: ${faultIn(error)?.message ?? (error instanceof Error ? error.stack : String(error))}\n`,
    );
    process.exitCode = exitStatusOf(error);
  } finally {
    await removeEmbeddedPostgres(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function demonstrate(dataDir: string, isKept: boolean): Promise<void> {
  const startedAtMs = Date.now();
  const adminToken = randomBytes(24).toString("hex");
  const environment = {
    CHAINBELL_DATA_DIR: dataDir,
    CHAINBELL_ADMIN_TOKENS: `demo:${adminToken}`,
    PORT: processEnvironment()["PORT"] || "0",
  };
  // The folder has no configuration file, so the demo is the same wherever it runs.
  const config = await loadConfig({ ...environment, LOG_LEVEL: "warn" }, dataDir);
  const log = createLogger({
    level: config.logLevel,
    destination: "stderr",
    redaction: createRedaction(secretsOf(config)),
  });
  const ledger = await openLedger(config, log, {
    opener: "daemon",
    patience: null,
  });
  const version = await readVersion();
  const app = createApp({ ...ledger, findConfigFaults: async () => [], log, version });
  const receiver = await startReceiver();
  const stub = await startStubReceiver();
  const signals = isKept ? listenForSignals() : null;
  try {
    await app.start();
    const [chain] = ledger.config.chains;
    const [token] = chain?.assets ?? [];
    const [rpcUrl] = chain?.rpcUrls ?? [];
    const apiUrl = app.apiUrl();
    if (chain === undefined || token === undefined || rpcUrl === undefined || apiUrl === null) {
      throw new Error("The local chain is not there.");
    }
    say(
      "Chainbell's demo: embedded PostgreSQL with the queue in it, a local chain, a receiver that verifies.",
    );
    say(
      `  ${"chain, database and daemon up".padEnd(52)} ${`${Date.now() - startedAtMs} ms`.padStart(8)}  ${apiUrl}`,
    );
    const { code, decimals } = token;
    const address = token.address as `0x${string}`;
    const stage = {
      apiUrl,
      adminToken,
      rpcUrl,
      chainName: chain.name,

      token: { address, code, decimals },
      receiver,
      say,
    };
    const businessId = await travel(stage);
    if (signals === null) return;
    const others = await populate(stage, stub);
    await keep(ledger.db, { consoleUrl: app.consoleUrl(), businessIds: [businessId, ...others] });
    await signals.first;
  } finally {
    await app.stop();
    await receiver.close();
    await stub.close();
    await ledger.close();
  }
}

async function keep(
  db: OpenLedger["db"],
  { consoleUrl, businessIds }: { consoleUrl: string | null; businessIds: readonly string[] },
): Promise<void> {
  const { businesses, operator } = await makeConsoleLinks(db, businessIds);
  say("Open the console, signed in (each link is good for ten minutes, and once):");
  const rows = [
    ...businesses.map((path, turn) => [names[turn] ?? "", path]),
    ["operator", operator],
  ];
  for (const [name = "", path] of rows) say(`  ${name.padEnd(20)} ${consoleUrl}${path}`);
  say("It goes on until Ctrl-C, and then nothing is left of it.");
}
