import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startAnvil } from "../../support/chain/anvil.ts";
import { startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { freePort } from "../../support/process/free-port.ts";
import { runVerb } from "../../support/process/run-cli.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-setup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function verb(environment: Record<string, string>, ...args: string[]) {
  const { status, stdout } = await runVerb([...args, "--json"], environment, folder);
  return { status, ...JSON.parse(stdout) };
}

const file = () => readFileSync(join(folder, "chainbell.yaml"), "utf8");

test("chains are added to the configuration file, with the tokens of the table, and all else stays", async () => {
  const made = await verb({}, "config", "init", "ethereum", "--tokens", "usdc,USDT");
  expect(made).toMatchObject({
    status: 0,
    data: {
      made: true,
      chain_id: 1,
      tokens: ["USDC", "USDT"],
      next: "set ETHEREUM_RPC, then config check",
    },
  });
  writeFileSync(join(folder, "chainbell.yaml"), `${file()}# mine\nqueue: postgres # for now\n`);
  const key = "wss://user:pass@rpc.example/a-key";
  const more = ["--rpc", `https://rpc.example/a-key,${key}`, "--tokens", "USDC"] as const;
  expect(await verb({}, "config", "init", "8453", ...more)).toMatchObject({
    status: 0,
    data: { made: false, chain: "base", next: "config check" },
  });
  const text = file();
  expect(text).toContain("# mine\nqueue: postgres # for now\n");
  expect(text).toContain('address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"');

  const refusals = [
    [["base"], "it has a chain 'base' already"],
    [["arbitrum"], "must be one of arbitrum-nova, arbitrum-one, arbitrum-sepolia"],
    [["nowhere"], "must be one of abstract,"],
    [["sepolia", "--rpc", "nonsense"], "rpc must be URLs that begin with http://"],
    [
      ["base-sepolia", "--tokens", "USDT"],
      "'USDT' is not in the built-in table of Base Sepolia (USDC)",
    ],
  ] as const;
  for (const [args, complaint] of refusals) {
    const refused = await verb({}, "config", "init", ...args);
    expect([refused.status, refused.error.message]).toEqual([
      1,
      expect.stringContaining(complaint),
    ]);
  }
  expect(file()).toBe(text);

  const absent = join(folder, "absent", "chainbell.yaml");
  expect(await verb({ CHAINBELL_CONFIG: absent }, "config", "init", "base")).toMatchObject({
    status: 1,
    error: { message: `${absent} cannot be written: its folder does not exist.` },
  });
});

test("config check names no file where there is none", async () => {
  expect(await verb({}, "config", "check")).toMatchObject({
    status: 0,
    data: { file: null, faults: [], endpoints: [] },
  });
});

test("config check names every fault at once and says what each endpoint offers", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const { rpcUrl, wsUrl } = anvil;
  const chain = (name: string, id: number, ...rpc: string[]) =>
    `  - { name: ${name}, chain_id: ${id}, rpc: ["${rpc.join('", "')}"] }\n`;
  const good = `chains:\n${chain("local", 31_337, rpcUrl, wsUrl)}`;
  writeFileSync(join(folder, "chainbell.yaml"), good);
  const fine = await verb({}, "config", "check");
  const offers = { chain: "local", chain_id: 31_337, history: "blocks and state", fault: null };
  const rate = expect.stringMatching(/^[1-9]\d* a second$/);
  const rest = { receipts: "by block", traces: "debug", rate };
  expect([fine.status, fine.data.faults, fine.data.endpoints]).toEqual([
    0,
    [],
    [
      expect.objectContaining({ ...offers, ...rest, websocket: null, batch: true }),
      expect.objectContaining({ ...offers, ...rest, websocket: true, batch: null }),
    ],
  ]);

  const deadPort = await freePort();
  const dead = `http://127.0.0.1:${deadPort}/a-secret-key`;
  writeFileSync(join(folder, "chainbell.yaml"), `${good}${chain("ethereum", 1, rpcUrl, dead)}`);
  const bad = await verb({ PORT: "many", CHAINBELL_ENCRYPTION_KEY: "short" }, "config", "check");
  expect(bad.status).toBe(3);
  expect(bad.data.faults.map(({ path }: { path: string }) => path)).toEqual([
    "PORT",
    "CHAINBELL_ENCRYPTION_KEY",
  ]);
  expect(bad.data.endpoints.slice(2)).toEqual([
    expect.objectContaining({ fault: expect.stringContaining("it serves chain 31337, not 1") }),
    expect.objectContaining({ endpoint: `127.0.0.1:${deadPort}`, fault: "ECONNREFUSED" }),
  ]);
  expect(JSON.stringify(bad)).not.toContain("a-secret-key");
});

test("config check says in the endpoint's own words that it allows fewer requests", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const allowed = 10;
  const answers = [
    { status: 429, text: '{"error":{"code":429,"message":"Compute units are used up."}}' },
    { status: 429, text: "slow down" },
    { error: { code: -32_005, message: "daily request limit reached" } },
  ];
  const limited = await Promise.all(
    answers.map(async (refusal) => {
      const proxy = await startRpcProxy(anvil.rpcUrl);
      onTestFinished(proxy.stop);
      const asked = () => proxy.calls.filter((method) => method === "eth_blockNumber").length;
      // One of them goes with the question whether it takes batches.
      proxy.misbehave(({ method, together }) =>
        method === "eth_blockNumber" && together === 1 && asked() > allowed + 1 ? refusal : null,
      );
      return proxy.url;
    }),
  );
  const rpc = limited.map((url) => `"${url}"`).join(", ");
  writeFileSync(
    join(folder, "chainbell.yaml"),
    `chains:\n  - { name: local, chain_id: 31337, rpc: [${rpc}] }\n`,
  );
  const { status, data } = await verb({}, "config", "check");
  expect([status, data.endpoints.map(({ rate }: { rate: string }) => rate)]).toEqual([
    0,
    [
      `refused after ${allowed}: HTTP status 429, Compute units are used up`,
      `refused after ${allowed}: HTTP status 429, slow down`,
      `refused after ${allowed}: error -32005, daily request limit reached`,
    ],
  ]);
});

test("alert test without a channel says how one is named", async () => {
  expect(await verb({}, "alert", "test")).toMatchObject({
    status: 1,
    error: {
      message:
        "The file names no channel in `alerts`. Name slack, webhook or smtp there, with its URL.",
    },
  });
});
