import { expect, test } from "vitest";
import { freePort } from "../../src/development/process/free-port.ts";
import { runProgram } from "../support/process/daemon.ts";
import { temporaryDataDirectory } from "../support/process/data-directory.ts";
import { npmStart, signalGroup, startTimeoutMs, untilReady } from "../support/process/npm-start.ts";
import { waitFor } from "../support/wait-for.ts";

type Listed = { type: string; asset: string; amount: string; status: string; tx_hash: string };

test("a developer pays in and out, undoes blocks, and compares, all from the command line", async () => {
  const port = await freePort();
  const environment = { CHAINBELL_DATA_DIR: temporaryDataDirectory(), PORT: String(port) };
  const verb = async (...args: string[]) => {
    const { status, stdout } = await runProgram("cli", [...args, "--json"], environment);
    return { status, ...JSON.parse(stdout) };
  };
  expect(await verb("deposit")).toMatchObject({
    status: 1,
    error: { message: "Development mode does not run: start it first." },
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
    [["deposit", "--asset", "XYZ"], "expected one of ETH, DUSD"],
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
