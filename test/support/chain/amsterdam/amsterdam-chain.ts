import { privateKeyToAccount } from "viem/accounts";
import { keccak256, parseTransaction } from "viem/utils";
import { createAccountState } from "./account-state.ts";
import { bloomOf, hex, type Json, quantity, sealBlock } from "./seal-block.ts";

/** EIP-7708: whose logs are the moves of the coin. */
const coinLog = "0xfffffffffffffffffffffffffffffffffffffffe";
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const [gas, baseFee, priorityFee] = [21_000n, 7n, 3n];

/** What its sender pays for each transaction. */
export const feePaid = gas * (baseFee + priorityFee);
const account = privateKeyToAccount(`0x${"7".repeat(64)}`);

/** Has all of the coin at first, and sends every transaction. */
export const payer = account.address.toLowerCase();
export const miner = `0x${"fe".repeat(20)}`;

type Move = { from: string; to: string; amount: bigint };

/** What a transaction sends, what contracts move within it, and what moves without a sign of it. */
export type Draft = { to: string; amount: bigint; inner?: Move[]; hidden?: Move[] };

/** What a node has of a block. */
export type MadeBlock = {
  block: Json;
  receipts: Json[];
  traces: Json[];
  /** Null before Amsterdam. */
  accessList: Json[] | null;
  root: Uint8Array;
};

export type AmsterdamChain = Awaited<ReturnType<typeof createAmsterdamChain>>;

/**
 * A chain that runs Amsterdam from the block `forkAt` on, made block by block; its first one is
 * there.
 */
export async function createAmsterdamChain(of: { chainId: number; forkAt: number }) {
  const { chainId, forkAt } = of;
  const state = await createAccountState();
  const made: MadeBlock[] = [];
  let logsCoin = true;

  /** A block with those transactions, in that order. */
  async function mine(drafts: readonly Draft[] = []): Promise<Json> {
    const height = made.length;
    const hasList = height >= forkAt;
    const isLogged = hasList && logsCoin;
    state.beginBlock();
    if (height === 0) await state.add(0, payer, 10n ** 24n);
    const run: Executed[] = [];
    for (const [index, draft] of drafts.entries()) {
      const { nonce } = state.of(payer);
      const moves = [{ from: payer, ...draft }, ...(draft.inner ?? [])];
      for (const { from, to, amount } of [...moves, ...(draft.hidden ?? [])]) {
        await state.add(index + 1, from, -amount);
        await state.add(index + 1, to, amount);
      }
      await state.add(index + 1, payer, -feePaid, true);
      await state.add(index + 1, miner, gas * priorityFee);
      run.push(await execute(draft, moves, { chainId, nonce, isLogged }));
    }
    const accessList = hasList ? state.accessList() : null;
    const receipts = receiptsOf(run);
    const header = await sealBlock({
      number: height,
      parentHash: String(made.at(-1)?.block["hash"] ?? `0x${"0".repeat(64)}`),

      stateRoot: hex(state.root()),
      miner,
      baseFee,
      receipts,
      list: accessList,
      signed: run.map(({ signed }) => signed),
    });
    const place = { blockHash: header["hash"], blockNumber: header["number"] };
    for (const receipt of receipts)
      for (const one of [receipt, ...(receipt["logs"] as Json[])]) Object.assign(one, place);
    const transactions = run.map(({ transaction }) => ({ ...transaction, ...place }));
    const block = { ...header, transactions };
    const traces = run.map(({ trace }) => trace);
    made.push({ block, receipts, traces, accessList, root: state.root() });
    return block;
  }

  await mine();
  return {
    chainId,
    mine,
    made,
    prove: state.prove,
    /** From now on it has the headers of Amsterdam and not its logs. */
    stopLogging(): void {
      logsCoin = false;
    },
  };
}

type Executed = { signed: `0x${string}`; transaction: Json; trace: Json; logs: Json[] };

async function execute(
  { to, amount }: Draft,
  moves: readonly Move[],
  of: { chainId: number; nonce: number; isLogged: boolean },
): Promise<Executed> {
  const { chainId, nonce, isLogged } = of;
  const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: priorityFee };
  const request = { chainId, nonce, gas, to: to as `0x${string}`, value: amount, ...fees };
  const signed = await account.signTransaction({ type: "eip1559", ...request });
  const hash = keccak256(signed);
  const transaction = {
    type: "0x2",
    hash,
    from: payer,
    to,
    value: quantity(amount),
    input: "0x",

    chainId: quantity(chainId),
    nonce: quantity(nonce),
    gas: quantity(gas),
    accessList: [],

    maxFeePerGas: "0x64",
    maxPriorityFeePerGas: quantity(priorityFee),
    ...signatureOf(signed),
  };
  const calls = moves.slice(1).map((move) => ({
    type: "CALL",
    from: move.from,
    to: move.to,
    value: quantity(move.amount),
  }));
  const result = { type: "CALL", from: payer, to, value: quantity(amount), calls };
  const logs = moves
    .filter((move) => isLogged && move.from !== move.to && move.amount > 0n)
    .map((move) => ({
      address: coinLog,
      topics: [transferTopic, wordOf(move.from), wordOf(move.to)],

      data: wordOf(quantity(move.amount)),
      transactionHash: hash,
      removed: false,
    }));
  return { signed, transaction, trace: { txHash: hash, result }, logs };
}

function receiptsOf(run: readonly Executed[]): Json[] {
  let logIndex = 0;
  return run.map(({ transaction, logs }, index) => ({
    transactionHash: transaction["hash"],
    transactionIndex: quantity(index),
    type: "0x2",

    status: "0x1",
    gasUsed: quantity(gas),
    contractAddress: null,
    logsBloom: bloomOf(logs),
    cumulativeGasUsed: quantity(gas * BigInt(index + 1)),
    effectiveGasPrice: quantity(baseFee + priorityFee),
    logs: logs.map((log) => ({ ...log, logIndex: quantity(logIndex++) })),
  }));
}

/** The last three fields of what was signed: parity, r and s. */
function signatureOf(signed: `0x${string}`) {
  const { r, s, yParity } = parseTransaction(signed) as Json;
  return { r, s, yParity: quantity(Number(yParity)), v: quantity(Number(yParity)) };
}

function wordOf(data: string): string {
  return `0x${data.slice(2).padStart(64, "0")}`;
}
