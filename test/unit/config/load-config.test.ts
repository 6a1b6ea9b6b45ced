import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { secretsOf } from "../../../src/config/secrets.ts";
import { knownGenesis } from "../../../src/domain/chain/profiles/known-genesis.ts";
import { type Fault, faultIn } from "../../../src/domain/fault.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-config-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const encryptionKey = Buffer.alloc(32, 1).toString("base64");
const production = {
  DATABASE_URL: "postgres://u:s3cret@db/chainbell",
  REDIS_URL: "redis://queue",
  CHAINBELL_ENCRYPTION_KEY: encryptionKey,
};

const oneChain = `
chains:
  - name: ethereum
    chain_id: 1
    rpc: [https://rpc.example/key]
    native_asset: { code: ETH }
`;

async function load(text: string | null, env: Record<string, string> = {}) {
  if (text !== null) await writeFile(join(folder, "chainbell.yaml"), text);
  return loadConfig(env, folder);
}

async function faultsOf(text: string | null, env: Record<string, string> = {}): Promise<string[]> {
  const fault = await refusal(text, env);
  const faults = fault.facts["faults"] as { path: string; message: string }[];
  return faults.map(({ path, message }) => `${path}: ${message}`);
}

async function refusal(text: string | null, env: Record<string, string> = {}): Promise<Fault> {
  const fault = await load(text, env).then(
    () => undefined,
    (error: unknown) => faultIn(error),
  );
  if (fault === undefined) throw new Error("the configuration was accepted");
  expect(fault.code).toBe("invalid_configuration");
  return fault;
}

describe("development mode", () => {
  test("needs neither a file nor an environment", async () => {
    const config = await load(null);
    expect(config).toMatchObject({
      mode: "development",
      databaseUrl: null,
      encryptionKeys: null,
      queue: "postgres",
      host: "127.0.0.1",
      port: 3000,
      chains: [],
      adminTokens: [],
      dataDir: join(folder, ".chainbell"),
      webhooks: { scheduleMs: [0, 1_000, 2_000, 5_000], targets: { isLoopbackOpen: true } },
    });
    expect([...config.roles]).toEqual(["watcher", "relay", "dispatcher", "api"]);
  });

  test("takes the queue that REDIS_URL says", async () => {
    expect((await load(null, { REDIS_URL: "redis://127.0.0.1" })).queue).toBe("redis");
    const file = "queue: postgres";
    expect((await load(file, { REDIS_URL: "redis://127.0.0.1" })).queue).toBe("postgres");
  });
});

describe("production", () => {
  test("reads a whole configuration, frozen to the bottom", async () => {
    const config = await load(oneChain, production);
    expect(config.mode).toBe("production");
    expect(config.encryptionKeys).toEqual([{ id: "key", bytes: new Uint8Array(32).fill(1) }]);
    expect(config.webhooks.scheduleMs).toHaveLength(10);
    expect(config.webhooks.targets.isLoopbackOpen).toBe(false);
    expect(config.chains[0]).toMatchObject({
      name: "ethereum",
      chainId: 1,
      confirmations: { kind: "depth", depth: 12 },
      tracing: "auto",
      proof: { header: true, transactions: true, receipts: "root" },
      startBlock: null,
      genesis: knownGenesis(1),
      nativeAsset: { code: "ETH", address: "native", decimals: 18, price: null },
    });
    expect(() => Reflect.set(config.chains[0] ?? {}, "name", "other")).not.toThrow();
    expect(config.chains[0]?.name).toBe("ethereum");
  });

  test("names each thing that is missing", async () => {
    expect(await faultsOf(null, { NODE_ENV: "production" })).toEqual([
      "DATABASE_URL: is required in production",
      expect.stringMatching(/^CHAINBELL_ENCRYPTION_KEY: is required in production/),
      expect.stringMatching(
        /^chains: at least one is required in production: `chainbell config init`/,
      ),
      expect.stringMatching(/^REDIS_URL: is required in production, unless/),
    ]);
  });

  test("may keep the queue in PostgreSQL when the file says so", async () => {
    const { REDIS_URL: _, ...env } = production;
    expect((await load(`${oneChain}queue: postgres`, env)).queue).toBe("postgres");
  });

  test("reads where webhooks are notified through, and for whom an exception is", async () => {
    const business = "0199c2a1-0000-7000-8000-000000000000";
    const webhooks = `webhooks:
  proxy: http://chainbell:s3cret@proxy.example:4750
  allow:
    - { cidr: 10.0.0.0/8, businesses: [${business}] }
    - { cidr: 10.1.0.0/16 }
`;
    const config = await load(`${oneChain}${webhooks}`, production);
    expect(config.webhooks.targets.allow).toMatchObject([
      { businesses: [business] },
      { businesses: null },
    ]);
    expect(config.webhooks.proxyUrl).toBe("http://chainbell:s3cret@proxy.example:4750");
    expect(secretsOf(config)).toContain("s3cret");
    expect(await faultsOf(`${oneChain}${webhooks.replace(business, "acme")}`, production)).toEqual([
      expect.stringMatching(/^webhooks\.allow\[0\]\.businesses\[0\]: expected the id/),
    ]);
  });

  test("does not repeat a secret in a fault", async () => {
    const env = {
      ...production,
      DATABASE_URL: "mysql://u:s3cret@db/x",
      CHAINBELL_ADMIN_TOKENS: "s3cret",
      CHAINBELL_ENCRYPTION_KEY: "s3cret",
    };
    const fault = await refusal(oneChain.replace("https://rpc", "ftp://s3cret"), env);
    expect(fault.message).toContain("4 faults");
    expect(JSON.stringify([fault.message, fault.facts])).not.toContain("s3cret");
  });
});

test("all faults are reported together, each with its path", async () => {
  const text = `
chains:
  - name: a b
    chain_id: one
    rpc: []
    tracing: maybe
    receipts: some
    confirmations: deep
    native_asset: { code: ETH, price: { usd: 1e3 } }
    assets:
      - { code: USDC, address: "0x1", decimals: 99, kind: odd, colour: blue }
      - { code: ETH, address: "0x1" }
  - name: a b
queue: redis
webhooks: { schedule: [0s, soon], allow: [{ cidr: 10.0.0.0/33, http: maybe }], ports: [0] }
wallets: []
`;
  const faults = await faultsOf(text, {
    PORT: "99999",
    LOG_LEVEL: "loud",
    CHAINBELL_ROLES: "cook",
  });
  expect(faults.map((fault) => fault.slice(0, fault.indexOf(":")))).toEqual([
    "PORT",
    "LOG_LEVEL",
    "CHAINBELL_ROLES",
    "chains[0].name",
    "chains[0].chain_id",
    "chains[0].rpc",
    "chains[0].confirmations",
    "chains[0].tracing",
    "chains[0].receipts",
    "chains[0].native_asset.price.usd",
    "chains[0].assets[0].address",
    "chains[0].assets[0].decimals",
    "chains[0].assets[0].kind",
    "chains[0].assets[0].colour",
    "chains[0].assets[1].address",
    "chains[0].assets[1].decimals",
    "chains[1].name",
    "chains[1].chain_id",
    "chains[1].rpc",
    "webhooks.schedule[1]",
    "webhooks.allow[0].cidr",
    "webhooks.allow[0].http",
    "webhooks.ports[0]",
    "wallets",
    "chains[1].name",
    "chains[0].assets[1].address",
    "chains[0].assets[1].code",
    "REDIS_URL",
  ]);
});

test("notifications are kept for ever, or for at least thirty days", async () => {
  expect((await load(oneChain)).retention).toEqual({ notificationsMs: null, attemptsMs: null });
  const kept = await load(`${oneChain}retention: { notifications: 90d, attempts: 7d }\n`);
  expect(kept.retention).toEqual({
    notificationsMs: 90 * 86_400_000,
    attemptsMs: 7 * 86_400_000,
  });
  expect(await faultsOf(`${oneChain}retention: { notifications: 1d, wallets: 1d }\n`)).toEqual([
    "retention.notifications: expected at least 30d",
    "retention.wallets: unknown key",
  ]);
});

test("confirmations may be what the chain calls safe or final", async () => {
  const [chain] = (await load(`${oneChain}    confirmations: finalized\n`)).chains;
  expect(chain?.confirmations).toEqual({ kind: "tag", tag: "finalized" });
  expect(await faultsOf(`${oneChain}    confirmations: latest\n`)).toEqual([
    "chains[0].confirmations: expected a depth from 0 to 10000, a length of time such as 2m (at most a day), safe or finalized",
  ]);
});

describe("a chain that is known by its id", () => {
  const chainOf = (id: number, more = "") =>
    `chains:\n  - name: some\n    chain_id: ${id}\n    rpc: ["https://rpc.example"]\n${more}`;

  test("needs neither the code of its coin nor confirmations nor how it is proved", async () => {
    const [base] = (await load(chainOf(8453))).chains;
    expect(base).toMatchObject({
      // Of blocks of 200 ms, a depth would say little.
      confirmations: { kind: "age", ageMs: 60_000 },
      proof: { header: true, transactions: true, receipts: "root-op" },
      nativeAsset: { code: "ETH" },
    });
  });

  test("another chain needs its coin's code, and is proved by what every EVM chain has", async () => {
    expect(await faultsOf(chainOf(424_242))).toEqual([
      "chains[0].native_asset.code: is required for a chain that is not known here",
    ]);
    const more = "    native_asset: { code: XYZ }\n";
    expect((await load(chainOf(424_242, more))).chains[0]).toMatchObject({
      confirmations: { kind: "depth", depth: 12 },
      proof: { header: false, transactions: false, receipts: "bloom" },
    });
    const rooted = (await load(chainOf(424_242, `${more}    receipts: root\n`))).chains[0];
    expect(rooted?.proof).toEqual({ header: true, transactions: false, receipts: "root" });
  });

  test("is confirmed after a length of time, where one is written; a bare number is a depth", async () => {
    const policyOf = async (text: string) =>
      (await load(chainOf(1, `    confirmations: ${text}\n`))).chains[0]?.confirmations;
    expect(await policyOf("2m")).toEqual({ kind: "age", ageMs: 120_000 });
    expect(await policyOf("1500ms")).toEqual({ kind: "age", ageMs: 1_500 });
    expect(await policyOf("2")).toEqual({ kind: "depth", depth: 2 });
    for (const text of ["2d", "2x", "m", "-1m"])
      expect(await faultsOf(chainOf(1, `    confirmations: ${text}\n`))).toHaveLength(1);
  });

  test("stops at what cannot be read, unless the file says that two hosts may vouch for it", async () => {
    const unreadableOf = async (more: string) =>
      (await load(chainOf(1, more))).chains[0]?.unreadable;
    expect(await unreadableOf("")).toEqual({ header: "required", contents: "required" });
    const both = { header: "agreed", contents: "agreed" };
    expect(await unreadableOf("    proof: agreed\n")).toEqual(both);
    expect(await unreadableOf("    proof: { header: agreed }\n")).toEqual({
      header: "agreed",
      contents: "required",
    });
    expect((await faultsOf(chainOf(1, "    proof: perhaps\n")))[0]).toMatch(/^chains\[0\]\.proof/);
  });

  test("has no coin where it is known for none, or where the file says so", async () => {
    expect((await load(chainOf(4_217))).chains[0]?.nativeAsset).toBe(null);
    const none = "    native_asset: none\n";
    expect((await load(chainOf(424_242, none))).chains[0]?.nativeAsset).toBe(null);
  });

  test("its own coin seen as a token is never counted as one", async () => {
    const pol = `{ code: POL20, address: "0x0000000000000000000000000000000000001010", decimals: 18`;
    const faults = await faultsOf(chainOf(137, `    assets: [${pol} }]\n`));
    expect(faults).toEqual([
      "chains[0].assets[0]: this contract is the chain's own coin seen as a token: remove it, or say kind native_alias",
    ]);
    const said = chainOf(137, `    assets: [${pol}, kind: native_alias }]\n`);
    expect((await load(said)).chains[0]?.assets).toEqual([]);
  });
});

test("a file that is no YAML is refused with the line", async () => {
  const faults = await faultsOf("queue: redis\nqueue: postgres\n", { REDIS_URL: "redis://q" });
  expect(faults).toEqual(["line 2: Map keys must be unique"]);
});

test("a file that is named and missing is a fault; one that is not named is not", async () => {
  expect(await faultsOf(null, { CHAINBELL_CONFIG: "no.yaml" })).toEqual([
    `CHAINBELL_CONFIG: there is no file ${join(folder, "no.yaml")}`,
  ]);
});

test("confirmations of 0 mean 1", async () => {
  expect((await load(`${oneChain}    confirmations: 0\n`)).chains[0]?.confirmations).toEqual({
    kind: "depth",
    depth: 1,
  });
});

test("a price keeps every digit that stands in the file", async () => {
  const text = oneChain.replace(
    "{ code: ETH }",
    "{ code: ETH, price: { usd: 0.10000000000000000010 } }",
  );
  expect((await load(text)).chains[0]?.nativeAsset?.price).toEqual({
    kind: "fixed",
    usd: "0.10000000000000000010",
  });
});

test("the environment fills in values, and never becomes syntax", async () => {
  const text = oneChain
    .replace("https://rpc.example/key", `'\${RPC}'`)
    .replace("chain_id: 1", `chain_id: \${CHAIN_ID:-5}`)
    .replace("code: ETH", () => `code: "$\${E}"`);
  const config = await load(text, { RPC: "https://a.example/?x={y}: [z]" });
  expect(config.chains[0]).toMatchObject({
    rpcUrls: ["https://a.example/?x={y}: [z]"],
    chainId: 5,
    nativeAsset: { code: `\${E}` },
  });
  expect(await faultsOf(text)).toEqual([
    "chains[0].rpc[0]: the environment variable RPC is not set",
  ]);
});

test("an endpoint has a label, and equal labels are one host", async () => {
  const rpc = (entries: string) => oneChain.replace("[https://rpc.example/key]", entries);
  const both = (first: string, second: string) =>
    rpc(
      `[{ url: https://a.example, provider: ${first} }, { url: https://b.example, provider: ${second} }]`,
    );
  const config = await load(both("alchemy", "infura"));
  expect(config.chains[0]?.rpcUrls).toEqual(["https://a.example", "https://b.example"]);
  expect([...(config.chains[0]?.providers ?? [])]).toEqual([
    ["https://a.example", "alchemy"],
    ["https://b.example", "infura"],
  ]);
  const counted = both("alchemy", "alchemy").replace(
    "    rpc:",
    "    witness: { count: 2 }\n    rpc:",
  );
  expect(await faultsOf(counted)).toEqual([
    "chains[0].witness.count: needs 2 endpoints of different hosts, not 1",
  ]);
  expect(await faultsOf(both("Alchemy Inc.", "infura"))).toEqual([
    "chains[0].rpc[0].provider: expected a word of lower-case letters, digits and hyphens, at most 40 characters",
  ]);
  expect(await faultsOf(rpc("[rpc.example]"))).toEqual([
    "chains[0].rpc[0]: expected a URL that begins with http://, https://, ws:// or wss://, or a map of url and provider",
  ]);
});

test("a key whose values are all commented out counts as absent", async () => {
  const config = await load("webhooks:\n  # in_flight: 3\nchains:\n");
  expect(config.webhooks.inFlight).toBe(10);
});

test("operators, roles and the data directory come from the environment", async () => {
  const config = await load(null, {
    CHAINBELL_ADMIN_TOKENS:
      "ann:t:1-abcdefghijklmnopqrstu, bob@viewer:t2-abcdefghijklmnopqrstu,cy@wallets+read:t3-abcdefghijklmnopqrstu",
    CHAINBELL_ROLES: "api, watcher",
    CHAINBELL_DATA_DIR: "data",
    HOST: "0.0.0.0",
    PORT: "0",
  });
  expect(config.adminTokens).toEqual([
    { name: "ann", token: "t:1-abcdefghijklmnopqrstu", role: "operator", scopes: [] },
    { name: "bob", token: "t2-abcdefghijklmnopqrstu", role: "viewer", scopes: [] },
    {
      name: "cy",
      token: "t3-abcdefghijklmnopqrstu",
      role: "operator",
      scopes: ["read", "wallets"],
    },
  ]);
  expect([...config.roles].sort()).toEqual(["api", "watcher"]);
  expect(config).toMatchObject({ dataDir: join(folder, "data"), host: "0.0.0.0", port: 0 });
});
