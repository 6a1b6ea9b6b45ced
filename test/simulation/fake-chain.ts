import { type Address, zeroAddress } from "../../src/domain/address.ts";
import type { BlockHeader, Hash } from "../../src/domain/block.ts";
import { type AssetAddress, type Movement, nativeAddress } from "../../src/domain/movement.ts";
import type { Random } from "./random.ts";

/** One transfer that a transaction tries to make. */
type Payment = {
  asset: AssetAddress;
  from: Address;
  to: Address;
  amountAtomic: bigint;
  /** Of the native coin: by an internal call. */
  isInternal: boolean;
};

/** A signed transaction: what it does depends on the state it is executed on, as on any chain. */
export type FakeTransaction = {
  hash: Hash;
  /** Pays the fee. */
  payer: Address;
  gas: bigint;
  payments: Payment[];
  /** A payment that cannot be made fails the transaction (its fee stays); else it is left out. */
  isAllOrNothing: boolean;
};

type Balances = ReadonlyMap<string, bigint>;

export type FakeBlock = {
  header: BlockHeader;
  transactions: FakeTransaction[];
  movements: Movement[];
  /** After this block, by holding. */
  balances: Balances;
};

/** Mints tokens and holds more of the coin than is ever moved. */
export const whale: Address = "0x00000000000000000000000000000000000000ff";

export function holdingKey(walletAddress: string, assetAddress: string): string {
  return `${walletAddress}/${assetAddress}`;
}

/** Deepest reorg: what the brief of the simulation asks for, and two epochs of Ethereum. */
export const deepestReorg = 64;

export type FakeChain = ReturnType<typeof createFakeChain>;

/**
 * A chain that knows every block of every branch, with every balance after it. It only grows and reorganises when it
 * is told to.
 */
export function createFakeChain(random: Random, genesisBalances: Balances) {
  const genesis = makeBlock(random, { parent: null, transactions: [], balances: genesisBalances });
  let canonical: FakeBlock[] = [genesis];
  /** Branches that were left, newest last: an endpoint may still serve one. */
  const left: FakeBlock[][] = [];
  const byHash = new Map<Hash, FakeBlock>([[genesis.header.hash, genesis]]);
  let mempool: FakeTransaction[] = [];
  /** Left the chain and come back at a height. */
  let returning: { transaction: FakeTransaction; fromNumber: number }[] = [];

  function tip(): FakeBlock {
    return canonical.at(-1) ?? genesis;
  }

  /** The next block, of as many waiting transactions as are given. */
  function mine(limit: number): FakeBlock {
    const number = canonical.length;
    mempool.push(
      ...returning.filter((one) => one.fromNumber <= number).map((one) => one.transaction),
    );
    returning = returning.filter((one) => one.fromNumber > number);
    const waiting = random.shuffle(mempool);
    const block = makeBlock(random, {
      parent: tip().header,
      transactions: waiting.slice(0, limit),
      balances: tip().balances,
    });
    const included = new Set(block.transactions);
    mempool = waiting.filter((transaction) => !included.has(transaction));
    canonical.push(block);
    byHash.set(block.header.hash, block);
    return block;
  }

  /**
   * Leaves the last `depth` blocks. Each of their transactions may be included again by the blocks that follow
   * (`again`), long after (`later`), or never.
   */
  function fork(depth: number, fate: () => "again" | "later" | "never"): void {
    const gone = canonical.slice(canonical.length - depth);
    left.push(canonical);
    canonical = canonical.slice(0, canonical.length - depth);
    for (const transaction of gone.flatMap((block) => block.transactions)) {
      const what = fate();
      if (what === "again") mempool.push(transaction);
      if (what === "later") {
        const fromNumber = canonical.length + depth + random.int(1, 40);
        returning.push({ transaction, fromNumber });
      }
    }
  }

  return {
    genesis,
    byHash,
    mine,
    fork,
    submit: (transaction: FakeTransaction) => mempool.push(transaction),
    canonical: (): readonly FakeBlock[] => canonical,
    left: (): readonly (readonly FakeBlock[])[] => left,
    head: () => tip().header,
  };
}

function makeBlock(
  random: Random,
  from: { parent: BlockHeader | null; transactions: FakeTransaction[]; balances: Balances },
): FakeBlock {
  const { parent } = from;
  const genesisTimeMs = Date.UTC(2026, 0, 1);
  const header: BlockHeader = {
    number: parent === null ? 0n : parent.number + 1n,
    hash: random.hash(),
    parentHash: parent?.hash ?? `0x${"0".repeat(64)}`,
    // Some chains make several blocks in one second.
    timeMs: parent === null ? genesisTimeMs : parent.timeMs + random.pick([0, 1000, 12_000]),
  };
  const balances = new Map(from.balances);
  const transactions: FakeTransaction[] = [];
  const movements: Movement[] = [];
  const logs = { next: 0 };
  // The price of gas belongs to the block: a transaction that is included again may pay another fee.
  const gasPrice = BigInt(random.int(1, 9));
  for (const transaction of from.transactions) {
    const made = execute(transaction, { balances, gasPrice, logs });
    if (made === null) continue;
    transactions.push(transaction);
    movements.push(...made);
  }
  return { header, transactions, movements, balances };
}

type State = { balances: Map<string, bigint>; gasPrice: bigint; logs: { next: number } };

/** What the transaction moves on this state, or null where its payer cannot pay the fee: then it cannot be included. */
function execute(transaction: FakeTransaction, state: State): Movement[] | null {
  const { hash: txHash, payer, payments, isAllOrNothing } = transaction;
  const fee = transaction.gas * state.gasPrice;
  if (!move(state.balances, { asset: nativeAddress, from: payer, to: null, amountAtomic: fee }))
    return null;
  const paid = new Map(state.balances);
  const firstLog = state.logs.next;
  const movements: Movement[] = [];
  let isFailed = false;
  for (const [place, payment] of payments.entries()) {
    const { asset, from, to, amountAtomic, isInternal } = payment;
    if (!move(state.balances, payment)) {
      isFailed ||= isAllOrNothing;
      continue;
    }
    const isToken = asset !== nativeAddress;
    const logIndex = isToken ? state.logs.next++ : null;
    const tracePath = !isToken && isInternal ? `0.${place}` : null;
    movements.push({
      ...{ kind: "transfer", asset, txHash, from, to, amountAtomic },
      ...{ logIndex, tracePath },
    });
  }
  if (isFailed) {
    restore(state.balances, paid);
    state.logs.next = firstLog;
    movements.length = 0;
  }
  if (fee > 0n) {
    movements.push({
      ...{ kind: "fee", asset: nativeAddress, txHash, from: payer, to: zeroAddress },
      ...{ amountAtomic: fee, logIndex: null, tracePath: null },
    });
  }
  return movements;
}

function restore(balances: Map<string, bigint>, to: Map<string, bigint>): void {
  balances.clear();
  for (const [key, amount] of to) balances.set(key, amount);
}

/** False, and nothing is moved, where the sender has too little. Tokens are minted from the zero address. */
function move(
  balances: Map<string, bigint>,
  payment: { asset: AssetAddress; from: Address; to: Address | null; amountAtomic: bigint },
): boolean {
  const { asset, from, to, amountAtomic } = payment;
  if (from !== zeroAddress) {
    const key = holdingKey(from, asset);
    const held = balances.get(key) ?? 0n;
    if (held < amountAtomic) return false;
    balances.set(key, held - amountAtomic);
  }
  if (to !== null) {
    const key = holdingKey(to, asset);
    balances.set(key, (balances.get(key) ?? 0n) + amountAtomic);
  }
  return true;
}
