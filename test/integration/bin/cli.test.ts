import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createReencrypt } from "../../../src/app/environment/reencrypt.ts";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { createFollowRecovery } from "../../../src/app/follow-recovery.ts";
import { createSetup } from "../../../src/app/setup/setup.ts";
import { byteFiles } from "../../../src/bin/cli/byte-files.ts";
import { createPrinter } from "../../../src/bin/cli/print-page.ts";
import { type OpenedLedger, runCli } from "../../../src/bin/cli/run-cli.ts";
import { Fault } from "../../../src/domain/fault.ts";
import type { Finding } from "../../../src/domain/money/reconciliation.ts";
import { recoverSome } from "../../../src/ledger/deliveries/recover.ts";
import { inCheckout } from "../../support/checkout.ts";
import { keyringOf } from "../../support/keyring.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertDelivery,
  insertTransaction,
  moveChainTo,
  newWallet,
  randomAddress,
  testChain,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";
import { quiet } from "../../support/quiet.ts";

const ledger = eachTestLedger();
let opened: number;
let closed: number;

beforeEach(() => {
  opened = 0;
  closed = 0;
});

const discrepancy: Finding = {
  balance: {
    walletId: "01900000-0000-7000-8000-000000000000",
    assetId: 1,
    businessId: "01900000-0000-7000-8000-000000000001",
    purpose: "deposit",
    walletAddress: "0x00000000000000000000000000000000000a11ce",
    assetAddress: "native",
    assetCode: "ETH",
    assetKind: "exact",
    assetDecimals: 18,
    walletSince: 0n,
    assetSince: 0n,
    openedNumber: null,
    differsSince: null,
    isLeaving: false,
    confirmedAtomic: 10n ** 18n,
    pendingAtomic: 0n,
  },
  at: { number: 20n, hash: "0x20", timeMs: 0 },
  since: 10n,
  ledgerAtomic: 10n ** 18n,
  chainAtomic: 15n * 10n ** 17n,
  proof: "agreed",
  outcome: "discrepancy",
};

async function openLedger(): Promise<OpenedLedger> {
  opened += 1;
  return {
    db: ledger.db,
    config: { chains: [{ name: "ethereum" }] },
    configured: [testChain],
    catchUp: async (_, onProgress) => {
      onProgress({ from: 10n, position: 15n, target: 20n });
      return { from: 10n, to: 20n, target: 20n };
    },
    followHistory: async (_, onProgress) => {
      const progress = { chainName: "ethereum", fromNumber: 3n, nextNumber: 21n, untilNumber: 20n };
      onProgress({ ...progress, verdict: null, heldAt: null });
      return { ...progress, verdict: "agrees", heldAt: null, isWatched: true };
    },
    followRecovery: createFollowRecovery({ db: ledger.db }),
    openEvidence: async () => {
      throw new Fault("rpc_unavailable", "There is no endpoint.");
    },
    requiredConfirmations: () => null,
    compareChain: async (_, walletIds) => ({
      compared: 2,
      open: 0,
      findings: walletIds === null ? [discrepancy] : [],
    }),
    openListening: () => {
      throw new Fault("invalid_url", "--forward-to must be an absolute http or https URL.");
    },
    followFirstAttempt: async () => {
      throw new Fault("notification_not_found", "There is no such notification.");
    },
    readDemoBusiness: async () => null,
    printer: createPrinter(null),
    isDevelopment: false,
    ...createSigning({ db: ledger.db, config: { encryptionKeys: keyringOf(7) } }),
    reencrypt: createReencrypt({ db: ledger.db, config: { encryptionKeys: keyringOf(7) } }),
    openLocalChain: async () => {
      throw new Fault("invalid_request", "This is not development mode.");
    },
    close: async () => {
      closed += 1;
    },
  };
}

async function run(args: string[], open = openLedger) {
  let stdout = "";
  let stderr = "";
  const status = await runCli(args, {
    openLedger: open,
    setup: createSetup({}, inCheckout(), byteFiles, () => quiet),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    user: "operator",
    redact: (text) => text.replaceAll("a-secret", "[redacted]"),
    showProgress: () => ({ update() {}, end() {} }),
  });
  return { status, stdout, stderr };
}

/** The one JSON document of a command that succeeds. */
async function data(...args: string[]) {
  const { status, stdout, stderr } = await run([...args, "--json"]);
  expect([status, stderr]).toEqual([0, ""]);
  const document = JSON.parse(stdout);
  expect(document.success).toBe(true);
  return document.data;
}

test("reconcile says by its status whether there are discrepancies", async () => {
  const all = await run(["reconcile", "--json"]);
  expect([all.status, JSON.parse(all.stdout).data.discrepancies]).toEqual([3, 1]);
  expect(JSON.parse(all.stdout).data.differences).toMatchObject([
    { blockchain: "ethereum", ledger: "1", chain: "1.5", difference: "0.5", block_number: 20 },
  ]);
  const { id } = await data("business", "create", "--name", "A");
  const of = ["--business", id, "--blockchain", "ethereum", "--address", randomAddress()];
  const { wallet_id } = await data("wallet", "add", ...of);
  const one = await run(["reconcile", "--wallet", wallet_id]);
  expect([one.status, one.stderr]).toEqual([0, ""]);
  const unknown = await run(["reconcile", "--wallet", "01900000-0000-7000-8000-000000000000"]);
  expect([unknown.status, unknown.stderr]).toEqual([
    1,
    "chainbell: There is no such wallet: check the id.\n",
  ]);
});

test("an operator brings a business from nothing to a watched wallet", async () => {
  const business = await data("business", "create", "--name", "Example Ltd");
  expect(business).toMatchObject({ name: "Example Ltd", verified_at: null });
  expect((await data("business", "verify", business.id)).verified_at).not.toBeNull();
  const key = await data("key", "create", "--business", business.id, "--label", "production");
  expect(key).toMatchObject({ key: expect.stringMatching(/^cb_/), label: "production" });
  const address = randomAddress();
  const wallet = await data(
    ...["wallet", "add", "--business", business.id, "--blockchain", "ethereum"],
    ...["--address", address, "--purpose", "payment", "--reference", "order-17"],
  );
  expect(wallet).toMatchObject({ purpose: "payment", reference: "order-17", status: "syncing" });
  expect(await data("wallet", "list", "--business", business.id)).toEqual([wallet]);
  expect((await data("status")).chains[0]).toMatchObject({ name: "ethereum", position: null });
  expect(await data("wallet", "remove", wallet.wallet_id)).toMatchObject({
    wallet_id: wallet.wallet_id,
  });
  expect((await data("key", "revoke", key.id)).revoked_at).not.toBeNull();
  expect((await data("key", "list", "--business", business.id))[0].id).toBe(key.id);
  expect(await data("chain", "reset", "ethereum")).toMatchObject({ name: "ethereum" });
  expect(closed).toBe(opened);
});

test("a business is suspended, resumed and set", async () => {
  const { id } = await data("business", "create", "--name", "A", "--verified");
  expect((await data("business", "suspend", id)).suspended_at).not.toBeNull();
  expect((await data("business", "resume", id)).suspended_at).toBeNull();
  const set = await data("business", "set", id, "--notify-pending", "--in-flight", "4");
  expect(set).toMatchObject({ notify_pending: true, in_flight: 4, rate: null });
  expect(await data("business", "set", id, "--rate", "50")).toMatchObject({ rate: 50 });
  const no = ["--no-notify-pending", "--in-flight", "default", "--rate", "none"];
  const back = await data("business", "set", id, ...no);
  expect(back).toMatchObject({ notify_pending: false, in_flight: null, rate: null });
});

test("a list is whole, whatever the size of its pages", async () => {
  const { id } = await data("business", "create", "--name", "A");
  for (let n = 0; n < 3; n += 1) await data("key", "create", "--business", id);
  expect(await data("key", "list", "--business", id)).toHaveLength(3);
  expect(await data("key", "list", "--business", id, "--limit", "2")).toHaveLength(2);
});

test("people read a table, or one line a field", async () => {
  const created = await run(["business", "create", "--name", "Example Ltd"]);
  expect(created.stdout).toMatch(/^name {12}Example Ltd$/m);
  const listed = await run(["business", "list"]);
  expect(listed.stdout).toMatch(/^id +name +legal_name +address +verified_at/);
  expect((await run(["wallet", "list"])).stdout).toBe("none\n");
  expect((await run(["status"])).stdout).toContain("ethereum");
});

test("no line of a list is wider than a terminal, and none has JSON in it", async () => {
  const { id } = await data("business", "create", "--name", "A business with a long name");
  await data(
    "key",
    "create",
    "--business",
    id,
    "--label",
    "a label of many words, as people write",
  );
  for (const command of [["status"], ["reconcile"], ["key", "list", "--business", id]]) {
    const { stdout } = await run(command);
    const widest = Math.max(...stdout.split("\n").map((line) => line.length));
    expect(widest, stdout).toBeLessThanOrEqual(160);
    expect(stdout).not.toContain("{");
  }
});

test("the version is the one of package.json", async () => {
  const { version } = JSON.parse(readFileSync(inCheckout("package.json"), "utf8"));
  expect(await run(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  expect(await data("--version")).toEqual({ version });
  expect(opened).toBe(0);
});

test("a chain is caught up in the foreground, with a bar and one answer", async () => {
  const ended = { chain: "ethereum", from: "10", to: "20", confirmed: "20", blocks: 10 };
  expect(await data("catch-up")).toEqual([ended]);
  expect(await data("catch-up", "ethereum")).toEqual([ended]);
  // The old name.
  expect(await data("backfill")).toEqual([ended]);
  expect(await data("backfill", "ethereum")).toEqual([ended]);
  expect((await run(["backfill", "--help"])).stdout).toContain("backfill ethereum");
});

test("a wallet's history is followed until it is judged", async () => {
  const { id: business } = await data("business", "create", "--name", "A");
  const address = "0x00000000000000000000000000000000000a11ce";
  const of = ["--business", business, "--blockchain", "ethereum", "--address", address];
  const { wallet_id } = await data("wallet", "add", ...of);
  const refused = await run(["backfill", "--wallet", wallet_id]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("--from-block")]);
  // The chain of this ledger has not started: there is no history yet.
  const early = await run(["backfill", "--wallet", wallet_id, "--from-block", "3"]);
  expect([early.status, early.stderr]).toEqual([1, expect.stringContaining("has not started")]);
  await moveChainTo(ledger.db, "ethereum", 20n);
  expect(await data("backfill", "--wallet", wallet_id, "--from-block", "3")).toEqual({
    wallet_id,
    from_block: 3,
    next_block: 21,
    history: "agrees",
  });
});

describe("a failure", () => {
  test("is one sentence for people, and status 1", async () => {
    const { status, stdout, stderr } = await run(["business", "verify", "nobody"]);
    expect([status, stdout, stderr]).toEqual([
      1,
      "",
      "chainbell: There is no such business: check the id.\n",
    ]);
    expect(closed).toBe(1);
  });

  test("is one document with --json", async () => {
    const { status, stdout } = await run(["--json", "business", "verify", "nobody"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      success: false,
      error: { code: "business_not_found", message: "There is no such business: check the id." },
    });
  });

  test("of a database that is out of reach is status 75, at once", async () => {
    const { status, stderr } = await run(["status"], async () => {
      throw new Fault("database_unavailable", "The database is out of reach.");
    });
    expect([status, stderr]).toEqual([75, "chainbell: The database is out of reach.\n"]);
  });
});

describe("without opening the ledger", () => {
  test.each([
    [["--help"], "Usage: chainbell"],
    [["help"], "Usage: chainbell"],
    [["wallet", "add", "--help"], "Examples:"],
    [["business", "set", "--help"], "--no-notify-pending"],
  ])("%j is help, with status 0", async (args, shown) => {
    const { status, stdout, stderr } = await run(args);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(shown);
    expect(opened).toBe(0);
  });

  test.each([
    [[]],
    [["business"]],
    [["fly"]],
    [["business", "create"]],
    [["business", "create", "--name", "A", "--colour", "b"]],
    [["business", "verify", "a", "b"]],
    [["key", "list", "--business", "x", "--limit", "0"]],
    [["business", "set", "x", "--in-flight", "many"]],
  ])("%j is bad usage, with status 1", async (args) => {
    const { status, stdout, stderr } = await run(args);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^(chainbell: .+|Usage: chainbell )/);
    const json = await run([...args, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "invalid_usage" } });
    expect(opened).toBe(0);
  });
});

test("a file that is imported again is refused with the number of all its lines", async () => {
  const { id } = await data("business", "create", "--name", "Twice Ltd");
  const folder = mkdtempSync(join(tmpdir(), "chainbell-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wallets.csv");
  const lines = Array.from({ length: 1_200 }, () => `ethereum,${randomAddress()}`);
  writeFileSync(path, ["blockchain,address", ...lines].join("\n"));
  expect(await data("wallet", "import", "--business", id, path)).toMatchObject({ imported: 1_200 });
  const again = await run(["wallet", "import", "--business", id, path, "--json"]);
  const { error } = JSON.parse(again.stdout);
  expect([again.status, error.message, error.details.length, error.details[0].line]).toEqual([
    1,
    "1200 lines are refused; nothing was added. The first 1000 are named.",
    1_000,
    2,
  ]);
});

test("samples of events are refused outside of development, where they would be taken for money", async () => {
  await data("business", "create", "--name", "Only Ltd");
  const refused = await run(["trigger", "transaction.deposit", "--json"]);
  expect([refused.status, JSON.parse(refused.stdout).error.code]).toEqual([1, "invalid_request"]);
  expect(await ledger.db.notification.count()).toBe(0);
  const unknown = await run(["trigger", "transaction.stolen"]);
  expect([unknown.status, unknown.stderr]).toEqual([
    1,
    expect.stringContaining("Expected one of transaction.deposit, transaction.withdrawal"),
  ]);
  expect((await run(["reorg", "many"])).stderr).toContain("Expected a whole number from 1.");
});

test("recover is now restore check; the old name works, says so, and is not in the help", async () => {
  const asked = ["--since", "2026-01-31T12:00:00Z", "--json"];
  const old = await run(["recover", ...asked]);
  const now = await run(["restore", "check", ...asked]);
  expect(old.stdout).toBe(now.stdout);
  expect([old.status, old.stderr]).toEqual([
    now.status,
    "chainbell: 'recover' is now called 'restore check'. The old name works until 0.4.\n",
  ]);
  expect(now.stderr).toBe("");
  const { stdout: help } = await run(["--help"]);
  expect(help).toContain("restore");
  expect(help).not.toContain("recover");
});

test("a statement is verified without a ledger, by both names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chainbell-verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "october.jsonl");
  writeFileSync(file, '{"line":"end"}\n');
  const key = Buffer.alloc(32, 1).toString("base64");
  for (const name of [["statement", "verify"], ["verify-statement"]]) {
    const { status, stdout, stderr } = await run([...name, file, "--key", key, "--json"]);
    expect([status, stderr, opened]).toEqual([3, "", 0]);
    expect(JSON.parse(stdout).data).toMatchObject({ file, verdict: "wrong", entries: 0 });
    const refused = await run([...name, file, "--key", "mine"]);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("32 bytes")]);
    const none = await run([...name, `${file}.csv`, "--key", key]);
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining("there is none")]);
  }
  expect((await run(["--help"])).stdout).not.toContain("verify-statement");
});

test("a recovery takes the fields of a filter as options, and names the one that is wrong", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  const transactionId = await insertTransaction(db, { walletId: wallet?.id ?? "" });
  const written = { businessId, transactionId, webhookId: webhook.id };
  const { notificationId: id } = await insertDelivery(db, { ...written, status: "exhausted" });
  const moved = { blockchain: "ethereum", asset: "ETH", amount: "10.0" };
  const body = JSON.stringify({ data: { ...moved, walletId: wallet?.id, reference: null } });
  await db.notification.update({ where: { id }, data: { body } });
  const recover = ["webhook", "recover", webhook.id, "--since", "2020-01-01"];
  const queued = async (...options: string[]) => (await data(...recover, ...options)).queued;
  const refusal = async (...options: string[]) => (await run([...recover, ...options])).stderr;
  expect(await queued("--min-amount", "ETH:10.1")).toBe(0);
  expect(await queued("--reference", "shop-")).toBe(0);
  expect(await queued("--event", "transaction.reversed,token.unlisted")).toBe(0);
  expect(await data(...recover, "--preview")).toMatchObject({
    id: webhook.id,
    count: 1,
    more: false,
    first: [{ id, event: "transaction.deposit", status: "exhausted" }],
  });
  expect(await data(...recover, "--preview", "--min-amount", "ETH:10.1")).toMatchObject({
    count: 0,
  });
  const all = ["--event", "transaction.deposit", "--blockchain", "ethereum", "--asset", "ETH"];
  const deep = ["--wallet", wallet?.id ?? "", "--min-amount", "USDC:1,ETH:10", "--min-usd", "5"];
  expect(await queued(...all, ...deep)).toBe(1);
  expect(await refusal("--event", "transaction.lost")).toContain("filter.events");
  expect(await refusal("--min-usd", "1e3")).toContain("filter.min_usd");
  expect(await refusal("--min-amount", "ETH")).toContain("such as USDC:100,ETH:0.5");
  // More than one batch: the first is done at once, and the command line stays for the others.
  await db.$executeRaw`
    WITH n AS (
      INSERT INTO notification (id, business_id, state, event, body, created_at)
      SELECT gen_random_uuid(), ${businessId}::uuid, 'confirmed', 'transaction.deposit', '{}',
        '2020-01-01'::timestamptz + i * interval '1 second' FROM generate_series(1, 1200) i RETURNING id)
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, status)
    SELECT gen_random_uuid(), id, ${businessId}::uuid, ${webhook.id}::uuid, 'exhausted' FROM n`;
  const begun = await data(...recover, "--no-wait", "--until", "2020-01-01T00:19:00Z");
  expect(begun).toMatchObject({ id: webhook.id, state: "running", queued: 1_000 });
  expect(await refusal()).toContain(begun.recovery);
  await recoverSome(db);
  expect(await data(...recover)).toMatchObject({ state: "done", queued: 61 });
  await db.$executeRaw`UPDATE delivery SET status = 'exhausted' WHERE status = 'waiting'`;
  expect(await data(...recover)).toMatchObject({ state: "done", queued: 1_201 });
  expect(await data("webhook", "recoveries", webhook.id, "--limit", "2")).toHaveLength(2);
});
