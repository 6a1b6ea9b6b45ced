import { readFile } from "node:fs/promises";
import { expect, inject, test } from "vitest";
import { parseAddress } from "../../src/domain/chain/address.ts";
import { nativeAddress } from "../../src/domain/money/movement.ts";
import { ANVIL_ACCOUNTS, startAnvil } from "../support/chain/anvil.ts";
import { makeBusyChain } from "../support/chain/busy-chain.ts";
import { deployToken } from "../support/chain/token.ts";
import { allTests, eachTest } from "../support/each-test.ts";
import { createCheckedDatabase } from "../support/ledger/checked-database.ts";
import { type Database, openDatabase } from "../support/ledger/database.ts";
import { insertBusiness } from "../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../support/ledger/steps.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";

const sender = ANVIL_ACCOUNTS[1];
const wallets = [
  "0x00000000000000000000000000000000000a11ce",
  "0x00000000000000000000000000000000000b0b00",
];

/** scripts/far-behind.ts says more. */
const blocks = Number(process.env["CHAINBELL_FAR_BLOCKS"] ?? "1500");
const isLarge = blocks > 3_000;
const timeoutMs = isLarge ? 1_200_000 : 600_000;

/** A long chain, which no test changes. */
async function startChain() {
  // Keeping thousands of old states makes anvil slow: without them it mines 50,000 blocks in
  // moments.
  const anvil = await startAnvil(isLarge ? { args: ["--prune-history"] } : {});
  const token = await deployToken(anvil);
  const every = isLarge ? 100 : 30;
  const made = await makeBusyChain(anvil, token, { blocks, every, wallets, sender });
  await anvil.mine(3);
  return { anvil, token, made, head: await anvil.blockNumber() };
}

const chain = allTests(startChain, ({ anvil }) => anvil.stop());

const resources = eachTest(
  async () => createResources(),
  ({ end }) => end(),
);

/** A ledger that begins at the chain's first block, with wallets that were paid all along. */
async function startFarBehind() {
  const { anvil, token } = chain;
  const database = await resources.open(createCheckedDatabase(), (one) => one.drop());
  const deployment = deploymentOf({
    databaseUrl: database.url,
    redisUrl: inject("redisUrl"),
    chains: [
      {
        name: "anvil",
        rpcUrl: anvil.rpcUrl,
        confirmations: 3,
        startBlock: 1,
        tokens: [token.asset],
        // A node that keeps no old states traces none of those blocks.
        tracing: isLarge ? "off" : "auto",
      },
    ],
    receiverPorts: [],
  });
  const db = openDatabase({ databaseUrl: database.url, poolSize: 2 });
  resources.onEnd(() => db.$disconnect());
  const address = parseAddress(token.address);
  const coin = { code: "ETH", address: nativeAddress, decimals: 18, kind: "exact" } as const;
  const assets = [coin, { ...token.asset, address, kind: "exact" } as const];
  await configureChains(db, [{ name: "anvil", chainId: 31_337, assets }], "removed");
  const added = await addWallets(db, {
    businessId: await insertBusiness(db),
    wallets: [...wallets, sender].map((one) => ({
      chainName: "anvil",
      address: parseAddress(one),
      purpose: "deposit",

      label: null,
      reference: null,
      fromBlock: null,
    })),
  });
  return { deployment, db, added };
}

const confirmedIn = async (db: Database) =>
  Number((await db.chain.findUniqueOrThrow({ where: { name: "anvil" } })).confirmedNumber ?? 0n);

type FarBehind = Awaited<ReturnType<typeof startFarBehind>>;

/** Every row that the chain's own balances and what was sent on it demand, and none twice. */
async function expectWhole({ db, added }: FarBehind) {
  const { anvil, token, made } = chain;
  expect(await db.transaction.count()).toBe(made.recorded);
  expect(await db.transaction.count({ where: { status: "completed" } })).toBe(made.recorded);
  const notified = { type: { not: "fee" } };
  expect(await db.notification.count()).toBe(await db.transaction.count({ where: notified }));
  const assets = new Map((await db.asset.findMany()).map(({ id, code }) => [id, code]));
  for (const { id, address } of added) {
    for (const balance of await db.balance.findMany({ where: { walletId: id } })) {
      const isCoin = assets.get(balance.assetId) === "ETH";
      const held = isCoin ? await anvil.balance(address) : await token.balanceOf(address);
      expect(balance.confirmed.toFixed(), `${address} ${assets.get(balance.assetId)}`).toBe(
        held.toString(),
      );
    }
  }
}

test("a daemon that starts far behind, and is killed on the way, catches up to every row in flat memory", {
  timeout: timeoutMs,
}, async () => {
  const far = await startFarBehind();
  const { db, deployment } = far;
  const { head, made } = chain;
  const samples: number[] = [];
  let startedMs = Date.now();
  const runUntil = async (height: number, isDone = async () => true) => {
    const daemon = await spawnDaemon(deployment);
    startedMs = Date.now();
    try {
      await waitFor(
        async () => {
          samples.push(await residentMegabytes(daemon.pid));
          return (await confirmedIn(db)) >= height && (await isDone());
        },
        { what: `block ${height} to be confirmed`, timeoutMs },
      );
    } finally {
      await daemon.kill();
    }
    return { confirmed: await confirmedIn(db), tookMs: Date.now() - startedMs };
  };
  const first = await runUntil(Math.floor(head / 6));
  expect(first.confirmed).toBeLessThan(head - 256);
  // Opening balances are read beside, by a daemon that lives.
  const isOpened = async () => (await db.balance.count({ where: { opening: null } })) === 0;
  const second = await runUntil(head - 2, isOpened);
  await expectWhole(far);
  const highest = Math.max(...samples);
  console.info(
    JSON.stringify({
      blocks: head,
      recorded: made.recorded,
      killedAt: first.confirmed,
      tookMs: second.tookMs,
      residentMegabytes: thinned(samples),
      highest,
    }),
  );
});

test("backfill catches a chain up to its confirmed height and ends, and may be repeated", {
  timeout: timeoutMs,
}, async () => {
  const far = await startFarBehind();
  const { head } = chain;
  const once = await runCli(far.deployment, "backfill", "anvil");
  expect([once.status, once.stderr]).toEqual([0, expect.stringContaining("anvil")]);
  expect(once.said.data).toMatchObject([{ chain: "anvil", from: "0", to: String(head - 2) }]);
  const again = await runCli(far.deployment, "backfill");
  expect(again.said.data).toMatchObject([{ to: String(head - 2), blocks: 0 }]);
  const unknown = await runCli(far.deployment, "backfill", "nowhere");
  expect([unknown.status, unknown.said.error]).toEqual([
    1,
    expect.objectContaining({
      code: "chain_not_found",
      message: expect.stringMatching(/ Its chains: anvil\.$/),
    }),
  ]);
});

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

/** About twenty of them, in order. */
function thinned(samples: number[]): number[] {
  const step = Math.max(1, Math.ceil(samples.length / 20));
  return samples.filter((_, index) => index % step === 0);
}
