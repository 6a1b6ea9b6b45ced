import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../src/development/process/free-port.ts";
import { startAnvil } from "../../support/chain/anvil.ts";
import { runProgram } from "../../support/process/daemon.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-setup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function verb(environment: Record<string, string>, ...args: string[]) {
  const all = { CWD: folder, ...environment };
  const { status, stdout } = await runProgram("cli", [...args, "--json"], all);
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
    [["arbitrum"], "expected one of arbitrum-nova, arbitrum-one, arbitrum-sepolia"],
    [["nowhere"], "expected one of abstract,"],
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
  const rest = { receipts: "by block", traces: "debug" };
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
