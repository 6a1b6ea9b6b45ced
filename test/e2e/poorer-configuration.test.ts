import { rm } from "node:fs/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openLedger } from "../../src/app/environment/open-ledger.ts";
import { verbs } from "../../src/app/operator.ts";
import { createSetup } from "../../src/app/setup/setup.ts";
import { byteFiles } from "../../src/bin/cli/byte-files.ts";
import { createCommandLineTools } from "../../src/bin/cli/command-line-tools.ts";
import { runCli as runCommandLine } from "../../src/bin/cli/run-cli.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Parameter } from "../../src/operator/parameter.ts";
import type { CliBinding } from "../../src/operator/verb-bindings.ts";
import { ANVIL_ACCOUNTS } from "../support/chain/anvil.ts";
import { deployToken } from "../support/chain/token.ts";
import type { Database } from "../support/ledger/database.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { configure, type Deployment } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { quiet } from "../support/quiet.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const [payer] = ANVIL_ACCOUNTS;
const wallet = "0x00000000000000000000000000000000000a11ce";

describe("beside a daemon, a process whose file lacks a token", () => {
  const world = eachWorld();
  let token: Awaited<ReturnType<typeof deployToken>>;
  let whole: Deployment;
  let poorer: Deployment;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;

  beforeEach(async () => {
    token = await deployToken(world.anvil);
    await token.mint(payer, 1_000n);
    const bare = deploymentIn(world);
    whole = withTokens(bare, [{ ...token.asset, price: { usd: 1 } }]);
    poorer = withTokens(bare, []);
    daemon = await startDaemon(whole);
    onTestFinished(() => daemon.stop());
    await createCustomer({
      ...daemon,

      blockchain: "anvil",
      addresses: [wallet],
      receiver: world.receiver,
    });
  });

  const withTokens = (
    deployment: Deployment,
    tokens: { code: string; address: string; decimals: number; price?: object }[],
  ): Deployment => ({
    ...deployment,
    settings: {
      ...deployment.settings,
      chains: deployment.settings.chains.map((chain) => ({ ...chain, tokens })),
    },
  });

  /** What the business has been notified of. */
  const notified = () =>
    world.receiver.requests.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.amount);

  async function deposit(amountAtomic: bigint) {
    await token.transfer(payer, wallet, amountAtomic);
    await world.anvil.mine(3);
  }

  it("takes nothing away, with whichever verb it is started", async () => {
    const before = await watched(daemon.db);
    const faces = verbs.flatMap(({ cli }) => (cli === null ? [] : [cli]));
    for (const face of faces.filter(({ name }) => name !== "apply")) {
      const line = commandLine(face);
      expect(await opens(poorer, line), line.join(" ")).toBe(true);
      expect(await watched(daemon.db), line.join(" ")).toEqual(before);
    }
    await deposit(2n);
    await world.receiver.waitForCount(1);
    expect(notified()).toEqual(["0.000002"]);
  });

  it("takes nothing away as a daemon, until it is applied; then it is recorded, and notified once it is back", async () => {
    const other = await startDaemon(poorer);
    onTestFinished(() => other.stop());
    await deposit(2n);
    await world.receiver.waitForCount(1);

    const diff = await runCli(poorer, "config", "diff");
    expect([diff.status, diff.said.data.changes]).toEqual([
      3,
      [{ chain: "anvil", asset: "TST", change: expect.stringContaining("recorded as before") }],
    ]);
    expect((await runCli(poorer, "config", "apply")).said.data).toMatchObject({ version: 2 });
    await deposit(3n);
    await waitFor(
      async () =>
        (await daemon.db.transaction.count({ where: { status: "completed", amount: 3 } })) === 1,
      { what: "the deposit to be recorded", timeoutMs: 20_000 },
    );
    expect(await daemon.db.notification.count()).toBe(1);
    expect((await runCli(whole, "config", "apply")).said.data.changes).toHaveLength(1);
    await world.receiver.waitForCount(2);
    await deposit(4n);
    await world.receiver.waitForCount(3);
    expect(notified()).toEqual(["0.000002", "0.000003", "0.000004"]);
  });

  it("does not undo a configuration that was applied after its own, though it is to apply it", async () => {
    const changed = withTokens(whole, [
      { ...token.asset, price: { usd: 1 } },
      { code: "NEW", address: `0x${"7".repeat(40)}`, decimals: 6 },
    ]);
    expect((await runCli(changed, "config", "apply")).said.data).toMatchObject({ version: 2 });
    // The daemon makes the balances of the new asset, and notes how far it is.
    await waitFor(
      async () => (await daemon.db.asset.count({ where: { openingAfter: { not: null } } })) === 0,
      { what: "the balances of the new asset", timeoutMs: 20_000 },
    );
    const before = await watched(daemon.db);
    const old = await startDaemon(whole, { CHAINBELL_APPLY_CONFIG: "1" });
    await old.stop();
    expect(await watched(daemon.db)).toEqual(before);
    const next = await startDaemon(poorer, { CHAINBELL_APPLY_CONFIG: "1" });
    await next.stop();
    const left = await daemon.db.asset.findMany({ where: { leftAt: { not: null } } });
    expect(left.map(({ code }) => code).sort()).toEqual(["NEW", "TST"]);
    const entry = await daemon.db.auditEntry.findFirst({
      where: { action: "config.apply" },
      orderBy: { id: "desc" },
    });
    expect(entry).toMatchObject({ actor: "daemon", details: { version: 3 } });
  });
});

/** What a process that only reads must leave as it is. */
async function watched(db: Database) {
  return {
    assets: await db.asset.findMany({ orderBy: { id: "asc" } }),
    prices: await db.price.findMany({ orderBy: { assetId: "asc" }, select: { source: true } }),
    configurations: await db.configuration.findMany({ orderBy: { version: "asc" } }),
    chains: await db.chain.findMany({
      orderBy: { name: "asc" },
      select: { name: true, evmChainId: true },
    }),
    installation: await db.installation.findMany(),
    migrations: await db.$queryRaw`SELECT count(*) FROM "_prisma_migrations"`,
  };
}

/** A whole command line of a verb, about things that there are not. */
function commandLine({ noun, name, takes }: CliBinding<never>): string[] {
  const needed = Object.values(takes).filter((take) => take.isRequired || take.kind === "argument");
  return [...(noun === null ? [] : [noun]), name, ...needed.flatMap(given), "--json"];
}

function given({ kind, forms, complaint }: Parameter<unknown>): string[] {
  const id = "01900000-0000-7000-8000-000000000000";
  const texts = [id, "1", "transaction.deposit", "2026-01-01T00:00:00Z"];
  const text = texts.find((one) => (complaint?.(one) ?? null) === null);
  if (text === undefined) throw new Error(`nothing to give for ${forms[0]?.flags}`);
  const flag = forms[0]?.flags.split(" ")[0] ?? "";
  return kind === "argument" ? [text] : [flag, text];
}

/** Runs a verb as its program does; whether it opened the ledger, whatever came of it then. */
async function opens(deployment: Deployment, args: string[]): Promise<boolean> {
  const { folder, environment } = await configure(deployment, 0);
  let isOpened = false;
  await runCommandLine(args, {
    openLedger: async () => {
      const config = await loadConfig(environment, folder);
      const ledger = await openLedger(config, quiet, { opener: "verb", patience: null });
      isOpened = true;
      const process = {
        version: "0.0.0-test",
        signals: () => ({ stopping: AbortSignal.abort() }),
      };
      return { ...ledger, ...createCommandLineTools(ledger, quiet, process) };
    },
    setup: createSetup(environment, folder, byteFiles, () => quiet),
    stdout() {},
    stderr() {},
    user: "operator",
    redact: (text) => text,
    showProgress: () => ({ update() {}, end() {} }),
  });
  await rm(folder, { recursive: true, force: true });
  return isOpened;
}
