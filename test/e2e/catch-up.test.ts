import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { parseAddress } from "../../src/domain/chain/address.ts";
import { nativeAddress } from "../../src/domain/money/movement.ts";
import { ANVIL_ACCOUNTS } from "../support/chain/anvil.ts";
import { makeBusyChain } from "../support/chain/busy-chain.ts";
import { deployToken } from "../support/chain/token.ts";
import { type Database, openDatabase } from "../support/ledger/database.ts";
import { insertBusiness } from "../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../support/ledger/steps.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const sender = ANVIL_ACCOUNTS[1];
const wallets = [
  "0x00000000000000000000000000000000000a11ce",
  "0x00000000000000000000000000000000000b0b00",
];

/** scripts/far-behind.ts says more. */
const blocks = Number(process.env["CHAINBELL_FAR_BLOCKS"] ?? "1500");
const isLarge = blocks > 3_000;
const timeoutMs = isLarge ? 1_200_000 : 600_000;

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startFarBehind() {
  // Keeping thousands of old states makes anvil slow: without them it mines 50,000 blocks in
  // moments.
  const world = await startWorld(isLarge ? { args: ["--prune-history"] } : {});
  closers.push(world.end);
  const token = await deployToken(world.anvil);
  const every = isLarge ? 100 : 30;
  const made = await makeBusyChain(world.anvil, token, { blocks, every, wallets, sender });
  const chain = {
    name: "anvil",
    rpcUrl: world.anvil.rpcUrl,
    confirmations: 3,
    startBlock: 1,
    // A node that keeps no old states traces none of those blocks.

    tokens: [token.asset],
    tracing: isLarge ? ("off" as const) : ("auto" as const),
  };
  const deployment = deploymentOf({
    databaseUrl: world.database.url,
    redisUrl: world.redisUrl,

    chains: [chain],
    receiverPorts: [],
  });
  const db = openDatabase({ databaseUrl: world.database.url, poolSize: 2 });
  closers.push(() => db.$disconnect());
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
  return { ...world, token, made, deployment, db, added };
}

const confirmedIn = async (db: Database) =>
  Number((await db.chain.findUniqueOrThrow({ where: { name: "anvil" } })).confirmedNumber ?? 0n);

type FarBehind = Awaited<ReturnType<typeof startFarBehind>>;

/** Every row that the chain's own balances and what was sent on it demand, and none twice. */
async function expectWhole({ db, anvil, token, made, added }: FarBehind) {
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
  const { db, deployment, anvil } = far;
  await anvil.mine(3);
  const head = await anvil.blockNumber();
  const samples: number[] = [];
  let startedMs = Date.now();
  const runUntil = async (height: number) => {
    const daemon = await spawnDaemon(deployment);
    startedMs = Date.now();
    try {
      await waitFor(
        async () => {
          samples.push(await residentMegabytes(daemon.pid));
          return (await confirmedIn(db)) >= height;
        },
        { what: `block ${height} to be confirmed`, timeoutMs },
      );
    } finally {
      await daemon.kill();
    }
    return { confirmed: await confirmedIn(db), tookMs: Date.now() - startedMs };
  };
  const first = await runUntil(Math.floor(head / 3));
  expect(first.confirmed).toBeLessThan(head - 256);
  const second = await runUntil(head - 2);
  await waitForOpenings(db, deployment);
  await expectWhole(far);
  const highest = Math.max(...samples);
  console.info(
    JSON.stringify({
      blocks: head,
      recorded: far.made.recorded,
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
  await far.anvil.mine(3);
  const head = await far.anvil.blockNumber();
  const once = await runCli(far.deployment, "backfill", "anvil");
  expect([once.status, once.stderr]).toEqual([0, expect.stringContaining("anvil")]);
  expect(once.said.data).toMatchObject([{ chain: "anvil", from: "0", to: String(head - 2) }]);
  const again = await runCli(far.deployment, "backfill");
  expect(again.said.data).toMatchObject([{ to: String(head - 2), blocks: 0 }]);
  const unknown = await runCli(far.deployment, "backfill", "nowhere");
  expect([unknown.status, unknown.said.error.code]).toEqual([1, "chain_not_found"]);
});

/** Opening balances are read beside, by a daemon that lives. */
async function waitForOpenings(db: Database, deployment: FarBehind["deployment"]) {
  const daemon = await spawnDaemon(deployment);
  try {
    const unread = () => db.balance.count({ where: { opening: null } });
    await waitFor(async () => (await unread()) === 0, { what: "every opening", timeoutMs: 30_000 });
  } finally {
    await daemon.stop();
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

/** About twenty of them, in order. */
function thinned(samples: number[]): number[] {
  const step = Math.max(1, Math.ceil(samples.length / 20));
  return samples.filter((_, index) => index % step === 0);
}
