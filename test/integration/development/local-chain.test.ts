import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPublicClient, http } from "viem";
import { expect, onTestFinished, test } from "vitest";
import {
  deployDemoToken,
  localAccount,
  mintToken,
  sendNative,
  transferToken,
} from "../../../src/development/chain/demo-token.ts";
import { openLocalChain } from "../../../src/development/chain/local-chain.ts";
import type { Settling } from "../../../src/development/chain/settle-chain.ts";
import { identityOf } from "../../../src/development/process/process-identity.ts";
import {
  otherProcess,
  serverPid,
  temporaryDataDirectory,
} from "../../support/process/data-directory.ts";
import { waitFor } from "../../support/wait-for.ts";

const log = { info: () => undefined, warn: () => undefined };

async function open(dataDir: string, settling?: Settling) {
  const chain = await openLocalChain({ dataDir, stateful: true, settling, log });
  onTestFinished(chain.close);
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 });
  return { ...chain, client };
}

type Client = Awaited<ReturnType<typeof open>>["client"];

async function hashes(client: Client, upTo: bigint): Promise<string[]> {
  const numbers = Array.from({ length: Number(upTo) + 1 }, (_, index) => BigInt(index));
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
  return blocks.map((block) => block.hash);
}

const pay = (chain: { rpcUrl: string }) =>
  sendNative(chain, { fromIndex: 0, to: localAccount(1), amountAtomic: 7n });

test("the chain keeps its genesis, its blocks, their receipts and traces over a restart", async () => {
  const dataDir = temporaryDataDirectory();
  const before = await open(dataDir);
  const hash = await pay(before);
  await pay(before);
  const kept = await hashes(before.client, 2n);
  await before.close();
  const after = await open(dataDir);

  expect(await hashes(after.client, 2n)).toEqual(kept);
  expect((await after.client.getTransactionReceipt({ hash })).blockNumber).toBe(1n);
  const address = localAccount(1);
  const [early, late] = await Promise.all([
    after.client.getBalance({ address, blockNumber: 1n }),
    after.client.getBalance({ address, blockNumber: 2n }),
  ]);
  expect(late - early).toBe(7n);
  const trace = await after.client.request({
    method: "debug_traceTransaction" as never,
    params: [hash, { tracer: "callTracer" }] as never,
  });
  expect(trace).toMatchObject({ type: "CALL", value: "0x7" });
});

test("a chain that was killed comes back with what it last wrote", async () => {
  const dataDir = temporaryDataDirectory();
  const before = await open(dataDir);
  await pay(before);
  const state = join(dataDir, "anvil.json");
  const written = () => existsSync(state) && readFileSync(state, "utf8").includes('"number":"0x1"');
  await waitFor(written, { what: "the state file", timeoutMs: 20_000 });
  const kept = await hashes(before.client, 1n);
  const pid = serverPid(dataDir, "chain");
  process.kill(pid ?? 0, "SIGKILL");
  const after = await open(dataDir);

  expect(await hashes(after.client, 1n)).toEqual(kept);
});

test("a state file that was cut off in the middle is replaced by the one before", async () => {
  const dataDir = temporaryDataDirectory();
  const first = await open(dataDir);
  await pay(first);
  const kept = await hashes(first.client, 1n);
  await first.close();
  const second = await open(dataDir);
  await second.close();
  writeFileSync(join(dataDir, "anvil.json"), '{"block":{"num');
  const third = await open(dataDir);

  expect(await hashes(third.client, 1n)).toEqual(kept);
});

test("another process finds the chain, and the last one to leave stops it", async () => {
  const dataDir = temporaryDataDirectory();
  const mine = await open(dataDir);
  const pid = serverPid(dataDir, "chain") ?? 0;
  const theirs = await otherProcess("chain", dataDir);
  expect(theirs.url).toBe(mine.rpcUrl);
  await mine.close();
  expect(identityOf(pid)).toBeDefined();
  await theirs.close();

  expect(identityOf(pid)).toBeUndefined();
});

test("a payment gets its confirmations although nothing else happens, and then the chain rests", async () => {
  const chain = await open(temporaryDataDirectory(), {
    blocks: 3,
    everyMs: 20,
    awaitedEveryMs: 20,
  });
  // A payment that comes beside one of these blocks may get a fourth.
  await waitFor(async () => (await chain.client.getBlockNumber()) === 3n, {
    what: "three blocks on the first one",
    timeoutMs: 10_000,
  });
  const hash = await pay(chain);
  const { blockNumber } = await chain.client.getTransactionReceipt({ hash });
  await waitFor(async () => (await chain.client.getBlockNumber()) === blockNumber + 3n, {
    what: "three blocks on top",
    timeoutMs: 10_000,
  });

  expect(await chain.client.getBlockNumber()).toBe(blockNumber + 3n);
});

test("the demo token is at the same address each time, and moves", async () => {
  const chain = await open(temporaryDataDirectory());
  const token = await deployDemoToken(chain);
  expect(await deployDemoToken(chain)).toBe(token);
  const [holder, other] = [localAccount(1), localAccount(2)];
  await mintToken(chain, { fromIndex: 0, token, to: holder, amountAtomic: 5_000_000n });
  await transferToken(chain, { fromIndex: 1, token, to: other, amountAtomic: 2_000_001n });
  const logs = await chain.client.getLogs({ address: token, fromBlock: 0n });

  expect(token).toBe("0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35");
  expect(logs.map((log) => BigInt(log.data))).toEqual([5_000_000n, 2_000_001n]);
});
