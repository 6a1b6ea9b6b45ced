import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { serveRecorded } from "../support/chain/recorded-server.ts";
import { readRecordingNamed } from "../support/chain/recordings.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";

// Blocks that real nodes answered, through the whole daemon: what it makes of them is asked of its
// API.

type Answer = Record<string, unknown>;

const timeoutMs = 30_000;

type Scene = {
  /** The name of the recording. */
  name: string;
  /** Where the block stands in for one of another chain. */
  chainId?: number;
  /** What was not recorded and follows from the block. */
  receipts?: (block: Answer) => Answer[];
  wallets: string[];
  tokens?: { code: string; address: string; decimals: number }[];
  hasNoCoin?: boolean;
};

/** A plain transfer of the coin has used just its gas, and has no logs. */
function receiptOfTransfer(block: Answer): Answer[] {
  return (block["transactions"] as Answer[]).map((transaction) => ({
    transactionHash: transaction["hash"],
    blockHash: block["hash"],
    type: "0x0",

    status: "0x1",
    gasUsed: "0x5208",
    cumulativeGasUsed: "0x5208",
    contractAddress: null,

    effectiveGasPrice: transaction["gasPrice"],
    logs: [],
    logsBloom: `0x${"0".repeat(512)}`,
  }));
}

describe("a recorded block through the running daemon", () => {
  let database: TestDatabase;
  let ends: (() => Promise<unknown>)[];

  beforeEach(async () => {
    database = await createTestDatabase();
    ends = [database.drop];
  });

  afterEach(async () => {
    for (const end of ends.toReversed()) await end();
  });

  /** What the daemon has recorded of the block, once it is processed. */
  async function process(scene: Scene) {
    const recording = readRecordingNamed(scene.name);
    const { block } = recording;
    const { chainId = recording.chainId } = scene;
    const receipts = scene.receipts?.(block) ?? [...(recording.receipts ?? [])];
    const node = await serveRecorded({ chainId, block, receipts });
    ends.push(node.stop);
    const chain = {
      name: "recorded",
      chainId,
      rpcUrl: node.url,
      confirmations: 1,

      tokens: scene.tokens ?? [],
      hasNoCoin: scene.hasNoCoin ?? false,
      nativePrice: null,
      startBlock: Number(node.height),
    };
    const redisUrl = inject("redisUrl");
    const settings = { databaseUrl: database.url, redisUrl, chains: [chain], receiverPorts: [] };
    const daemon = await startDaemon(deploymentOf(settings));
    ends.push(daemon.stop);
    const shown = async () => (await daemon.admin.get("/admin/status")).chains[0];
    const untilAt = (height: bigint) =>
      waitFor(async () => (await shown()).position === Number(height), {
        what: `block ${height}`,
        timeoutMs,
      });
    await untilAt(node.height - 1n);
    const { wallets: addresses } = scene;
    const made = await createCustomer({
      ...daemon,
      blockchain: "recorded",
      addresses,
      receiver: null,
    });
    node.reveal();
    await untilAt(node.height);
    const lists = ["deposit", "withdrawal", "fee", "income"].map(
      (type): Promise<Answer[]> => made.api.get(`/transactions?type=${type}&limit=100`),
    );
    const rows = (await Promise.all(lists)).flat();
    const details = rows.map(({ id }) => made.api.get(`/transactions/${id}`));
    return { status: await shown(), transactions: (await Promise.all(details)) as Answer[] };
  }

  it("Amsterdam: a block with the two new fields of the header goes on", async () => {
    // Of Sepolia's first one only the header is recorded, so that a block of the same fork stands
    // in for it.
    const { status } = await process({ name: "0-192", chainId: 11_155_111, wallets: [] });
    expect(status).toMatchObject({ position: 192, lag_blocks: 0, stopped: null });
    expect(status.verification).toMatchObject({ header: true, receipts: "root" });
  });

  it("Fuji after Helicon goes on, and sees the transfer", async () => {
    const name = "43113-58119344";
    const [transfer] = readRecordingNamed(name).block["transactions"] as { to: string }[];
    const wallets = [transfer?.to ?? ""];
    const { status, transactions } = await process({
      name,
      wallets,
      receipts: receiptOfTransfer,
    });
    expect(status).toMatchObject({ position: 58_119_344, stopped: null });
    expect(transactions.map(({ type, status: state }) => [type, state])).toEqual([
      ["deposit", "completed"],
    ]);
  });

  it("Gnosis 30,000,000: withdrawals, which are paid as a token, are no income of the coin", async () => {
    const name = "100-30000000";
    const withdrawals = readRecordingNamed(name).block["withdrawals"] as { address: string }[];
    const wallets = [...new Set(withdrawals.map(({ address }) => address))];
    expect(withdrawals).toHaveLength(8);
    const { status, transactions } = await process({ name, wallets });
    expect(status).toMatchObject({ position: 30_000_000, stopped: null });
    expect(transactions).toEqual([]);
  });

  it("Tempo: transactions of type 0x76 are decoded, with the fee in the token that pays it", async () => {
    const payer = "0x385193793fe875cd9f2341409563932023fb4fab";
    const address = "0x20c000000000000000000000b9537d11c60e8b50";
    const { status, transactions } = await process({
      name: "4217-17708868",
      hasNoCoin: true,

      wallets: [payer],
      tokens: [{ code: "USDC", address, decimals: 6 }],
    });
    expect(status).toMatchObject({ position: 17_708_868, stopped: null });
    expect(transactions.map(({ type, amount, proof }) => [type, amount, proof]).toSorted()).toEqual(
      [
        ["fee", "0.00566", "root"],
        ["withdrawal", "0.61996", "root"],
      ],
    );
  });
});
