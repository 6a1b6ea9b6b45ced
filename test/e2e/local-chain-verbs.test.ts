import { join } from "node:path";
import { expect, test } from "vitest";
import { localAccount } from "../../src/development/chain/demo-token.ts";
import { runProgram } from "../support/process/daemon.ts";
import { temporaryDataDirectory } from "../support/process/data-directory.ts";
import { freePort } from "../support/process/free-port.ts";
import { npmStart, signalGroup, startTimeoutMs, untilReady } from "../support/process/npm-start.ts";
import { runVerb } from "../support/process/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

type Listed = { type: string; asset: string; amount: string; status: string; tx_hash: string };

test("a developer pays in and out, undoes blocks, and compares, all from the command line", async () => {
  const port = await freePort();
  const environment = { CHAINBELL_DATA_DIR: temporaryDataDirectory(), PORT: String(port) };
  const verb = async (...args: string[]) => {
    const { status, stdout } = await runVerb([...args, "--json"], environment);
    return { status, ...JSON.parse(stdout) };
  };
  const early = await runProgram("cli", ["deposit", "--json"], environment);
  expect({ status: early.status, ...JSON.parse(early.stdout) }).toMatchObject({
    status: 1,
    error: {
      message: `Development mode does not run in ${environment.CHAINBELL_DATA_DIR}: start it first.`,
    },
  });
  // In a wrong folder nobody would notice otherwise that another installation answers.
  const [madeLine = ""] = early.stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(JSON.parse(madeLine)).toMatchObject({
    level: "warn",
    dataDir: environment.CHAINBELL_DATA_DIR,
    msg: "installation.made",
  });

  const running = npmStart(environment);
  const { apiKey } = await untilReady(running);
  const transactions = async (): Promise<Listed[]> => {
    const url = `http://127.0.0.1:${port}/transactions`;
    const answer = await (await fetch(url, { headers: { "x-api-key": apiKey } })).json();
    return (answer as { data: Listed[] }).data;
  };
  const become = (txHash: string, expected: Partial<Listed>) =>
    waitFor(
      async () => {
        const found = (await transactions()).find((one) => one.tx_hash === txHash);
        expect(found).toMatchObject(expected);
        return true;
      },
      { what: `${txHash} to be ${expected.status}`, timeoutMs: startTimeoutMs },
    );

  const pay = ["deposit", "--asset", "dusd", "--amount", "12.5"] as const;
  let paid = await verb(...pay);
  // Until the wallet's opening balance has been read.
  while (paid.status === 75) paid = await verb(...pay);
  expect(paid).toMatchObject({ status: 0, data: { asset: "DUSD", amount: "12.5" } });
  const amount = { asset: "DUSD", amount: "12.5" };
  await become(paid.data.tx_hash, { ...amount, type: "deposit", status: "completed" });

  const out = await verb("withdraw", "--amount", "0.25");
  expect(out.status).toBe(0);
  await become(out.data.tx_hash, { amount: "0.25", type: "withdrawal", status: "completed" });
  const back = await verb("deposit", "--amount", "2", "--from", out.data.to);
  await become(back.data.tx_hash, { type: "deposit", amount: "2", status: "completed" });

  expect(out.data.to).toMatch(/[A-F]/);
  const undone = await verb("reorg");
  expect(undone.data.undone).toEqual([back.data.tx_hash]);
  await become(back.data.tx_hash, { status: "reversed" });

  const two = await verb("reorg", "2");
  // One more for each block that the chain mined meanwhile.
  expect(two.data.replaced_to - two.data.replaced_from).toBeGreaterThanOrEqual(1);

  expect((await verb("reconcile")).status).toBe(0);
  expect(await verb("catch-up")).toMatchObject({ status: 0, data: [{ chain: "anvil" }] });
  for (const [args, complaint] of [
    [["deposit", "--amount", "0.0000001", "--asset", "DUSD"], "at most 6 decimals"],
    [["deposit", "--asset", "XYZ"], "asset must be one of ETH, DUSD"],
    [["withdraw", "--amount", "1000000"], "The local chain refused"],
    [["reorg", "100000"], "blocks to replace"],
  ] as const) {
    const refused = await verb(...args);
    expect([refused.status, JSON.stringify(refused.error)]).toEqual([
      1,
      expect.stringContaining(complaint),
    ]);
  }
  signalGroup(running.child, "SIGINT");
  expect(await running.ended).toBe(0);
});

test("another business and a configuration file leave the verbs of development mode as they were", async () => {
  const dataDir = temporaryDataDirectory();
  const port = String(await freePort());
  const alone = { CHAINBELL_DATA_DIR: dataDir, PORT: port };
  const withFile = { ...alone, CHAINBELL_CONFIG: join(temporaryDataDirectory(), "chainbell.yaml") };
  const stopped = async (running: ReturnType<typeof npmStart>) => {
    signalGroup(running.child, "SIGINT");
    expect(await running.ended).toBe(0);
  };
  const verb = async (environment: Record<string, string>, ...args: string[]) => {
    const { stdout } = await runVerb([...args, "--json"], environment);
    return JSON.parse(stdout);
  };

  const first = npmStart(alone);
  const { apiKey } = await untilReady(first);
  const demo = /wallet\s+(0x\w{40})/.exec(first.output())?.[1];
  const { data: other } = await verb(alone, "business", "create", "--name", "Example Ltd");
  const added = ["wallet", "add", "--business", other.id, "--blockchain", "anvil"];
  await verb(alone, ...added, "--address", localAccount(6));
  const out = await waitFor(
    async () => (await verb(alone, "withdraw", "--amount", "0.25")).data ?? false,
    { what: "the demo wallet to be watched", timeoutMs: startTimeoutMs },
  );
  expect(out.from).toBe(demo);
  const sample = await verb(alone, "trigger", "transaction.deposit");
  expect(JSON.parse(sample.data.body).event).toBe("transaction.deposit");
  await stopped(first);

  // Nothing answers at its endpoint: only what is local matters here.
  const rpc = "http://127.0.0.1:9";
  const made = await verb(withFile, "config", "init", "base-sepolia", "--rpc", rpc);
  expect(made.data).toMatchObject({ made: true });
  const second = npmStart(withFile);
  expect((await untilReady(second)).apiKey).toBe(apiKey);
  expect(second.output()).toContain("also       base-sepolia, of the configuration file");
  const paid = await verb(withFile, "deposit");
  expect(paid.data).toMatchObject({ asset: "ETH", amount: "1", to: demo });
  await stopped(second);
});
