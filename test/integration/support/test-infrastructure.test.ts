import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { ANVIL_ACCOUNTS, startAnvil } from "../../support/chain/anvil.ts";
import { compileSolidity } from "../../support/chain/contracts.ts";
import { startReceiver } from "../../support/delivery/receiver.ts";
import { startOwnRedis } from "../../support/delivery/redis.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { createTestDatabase } from "../../support/ledger/postgres.ts";

test("two test databases do not see each other's tables", async () => {
  const first = await createTestDatabase();
  onTestFinished(first.drop);
  const second = await createTestDatabase();
  onTestFinished(second.drop);
  const client = new Client({ connectionString: first.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("CREATE TABLE only_here (id int)");

  const other = new Client({ connectionString: second.url });
  await other.connect();
  onTestFinished(() => other.end());

  await expect(other.query("SELECT * FROM only_here")).rejects.toThrow("does not exist");
});

test("the planner knows nothing of a test database that another test has had", async () => {
  const first = await createTestDatabase();
  onTestFinished(first.drop);
  const client = new Client({ connectionString: first.url });
  await client.connect();
  await client.query("ANALYZE chain");
  await client.end();
  await first.drop();

  const second = await createTestDatabase();
  onTestFinished(second.drop);
  const other = new Client({ connectionString: second.url });
  await other.connect();
  onTestFinished(() => other.end());

  const known = "SELECT relname FROM pg_class WHERE relname = 'chain' AND reltuples >= 0";
  expect((await other.query(known)).rows).toEqual([]);
  expect((await other.query("SHOW autovacuum")).rows).toEqual([{ autovacuum: "off" }]);
});

test.runIf(hasRedis)("the shared Redis answers", async () => {
  const client = new Redis(inject("redisUrl") ?? "");
  onTestFinished(() => client.disconnect());

  expect(await client.ping()).toBe("PONG");
});

test.runIf(hasRedis)(
  "a test's own Redis keeps its data over a crash, at the same port",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "chainbell-own-redis-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const before = await startOwnRedis({ dataDir });
    const client = new Redis(before.url);
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    await client.set("kept", "yes");
    await before.kill();
    const after = await startOwnRedis({ dataDir, port: before.port });
    onTestFinished(after.stop);

    expect(await client.get("kept")).toBe("yes");
  },
);

test("a chain of a test's own mines, takes blocks back and forgets what was in them", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const [from, to] = ANVIL_ACCOUNTS;
  await anvil.mine(3);
  const hash = await anvil.sendNative({ from, to, amountAtomic: 5n });
  const { blockHash } = await anvil.receipt(hash);
  await anvil.reorg(1);

  expect(await anvil.blockNumber()).toBe(4);
  expect((await anvil.block(4)).hash).not.toBe(blockHash);
  expect(await anvil.rpc("eth_getTransactionReceipt", hash)).toBeNull();
});

test("a receiver answers as configured and records what it was sent", async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.stop);
  receiver.answerStatuses(500, 204);
  const post = () => fetch(receiver.url, { method: "POST", body: "é" });

  expect((await post()).status).toBe(500);
  expect((await post()).status).toBe(204);
  expect((await post()).status).toBe(200);
  const [first] = await receiver.waitForCount(3);
  expect(first?.rawBody).toEqual(Buffer.from("é"));
});

test("Solidity that imports OpenZeppelin compiles", async () => {
  const contracts = await compileSolidity(`// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract Plain is ERC20 { constructor() ERC20("Plain", "PLN") { _mint(msg.sender, 1); } }`);

  expect(contracts["Plain"]?.bytecode).toMatch(/^0x[0-9a-f]+$/);
});
