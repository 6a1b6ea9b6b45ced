import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import { type Address, zeroAddress } from "../../../src/domain/chain/address.ts";
import type { BlockHeader, Hash } from "../../../src/domain/chain/block.ts";
import { type Movement, nativeAddress, noTransaction } from "../../../src/domain/money/movement.ts";
import type { Random } from "../random.ts";
import { accessListOf } from "./access-list.ts";
import { customers, strangers } from "./addresses.ts";
import { eraAt, type Fork, logsCoin } from "./eras.ts";
import { type BlockJson, priorityFee, seal, tracePathOf } from "./fake-block.ts";
import {
  type Balances,
  type Executed,
  execute,
  type FakeTransaction,
  feeOf,
  move,
} from "./fake-transaction.ts";

export type FakeBlock = {
  header: BlockHeader;
  json: BlockJson;
  transactions: FakeTransaction[];
  movements: Movement[];
  /** After this block, by holding. */
  balances: Balances;
  /** Beacon withdrawals up to this block. */
  withdrawals: number;
  /** When it was made; its header says the second. */
  exactMs: number;
};

/**
 * What a block pays beside its transactions: each withdrawal is another amount, so that none is
 * taken for another.
 */
function withdrawalOf(index: number) {
  const address = customers[index % customers.length] ?? zeroAddress;
  return { index, address, amountGwei: BigInt(index + 1) };
}

/** Two epochs of Ethereum. */
const deepestReorg = 64;

export type FakeChain = ReturnType<typeof createFakeChain>;

/**
 * A chain that knows every block of every branch, with every balance after it. It only grows and
 * reorganises when it is called to.
 */
export function createFakeChain(
  random: Random,
  keccak: Keccak,
  of: {
    genesisBalances: Balances;
    /** The block so far below the head is final: it is never left. */
    finalLag: number;
    /**
     * What its headers have, from which heights on; and the time between blocks, in ms (null: some
     * seconds).
     */
    forks: readonly Fork[];
    blockMs: number | null;
  },
) {
  const { genesisBalances, finalLag } = of;
  const tools = { random, keccak, ...of };
  const genesis = makeBlock(tools, { parent: null, transactions: [], balances: genesisBalances });
  let canonical: FakeBlock[] = [genesis];
  /** Branches that were left, newest last: an endpoint may still serve one. */
  const left: { branch: readonly FakeBlock[]; final: number }[] = [];
  let final = 0;
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
    const isBack = (one: { fromNumber: number }) => one.fromNumber <= number;
    mempool.push(...returning.filter(isBack).map((one) => one.transaction));
    returning = returning.filter((one) => !isBack(one));
    const waiting = random.shuffle(mempool);
    const transactions = waiting.slice(0, limit);
    const block = makeBlock(tools, { parent: tip(), transactions, balances: tip().balances });
    const included = new Set(block.transactions);
    mempool = waiting.filter((transaction) => !included.has(transaction));
    canonical.push(block);
    final = Math.max(final, number - finalLag);
    byHash.set(block.header.hash, block);
    return block;
  }

  /**
   * Leaves the last `depth` blocks. Each of their transactions may be included again by the blocks
   * that follow (`again`), long after (`later`), or never.
   */
  function fork(depth: number, fate: () => "again" | "later" | "never"): void {
    const gone = canonical.slice(canonical.length - depth);
    left.push({ branch: canonical, final });
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
    left: (): readonly (typeof left)[number][] => left,
    head: () => tip().header,
    /** The height of the last block that is final. */
    final: () => final,
    /** How many blocks it may leave. */
    deepest: () => Math.min(deepestReorg, canonical.length - 1, canonical.length - 1 - final),

    /**
     * A branch that never was the chain's, of true form: what a node could make up that signs
     * whatever it likes.
     */
    invent(depth: number, blocks: readonly FakeTransaction[][]): FakeBlock[] {
      const branch = canonical.slice(0, canonical.length - depth);
      for (const transactions of blocks) {
        const parent = branch.at(-1) ?? genesis;
        const block = makeBlock(tools, { parent, transactions, balances: parent.balances });
        branch.push(block);
        byHash.set(block.header.hash, block);
      }
      return branch;
    },
  };
}

function makeBlock(
  tools: { random: Random; keccak: Keccak; forks: readonly Fork[]; blockMs: number | null },
  from: { parent: FakeBlock | null; transactions: FakeTransaction[]; balances: Balances },
): FakeBlock {
  const { random, keccak } = tools;
  const parent = from.parent?.header ?? null;
  const number = parent === null ? 0n : parent.number + 1n;
  const era = eraAt(tools.forks, number);
  const balances = new Map(from.balances);
  // The price of gas belongs to the block: a transaction that is included again may pay another
  // fee.
  const baseFee = BigInt(random.int(1, 9));
  const state = { balances, gasPrice: baseFee + priorityFee, nextLog: 0, logsCoin: logsCoin(era) };
  const after: Balances[] = [];
  const executed = from.transactions.flatMap((one) => {
    const done = execute(one, state);
    if (done === null) return [];
    after.push(new Map(balances));
    return [done];
  });
  const before = from.parent?.withdrawals ?? 0;
  const paid = parent !== null && random.chance(0.1) ? random.int(1, 3) : 0;
  const withdrawals = Array.from({ length: paid }, (_, place) => withdrawalOf(before + place));
  const miner = random.pick([...customers.slice(0, 2), ...strangers]);
  // Some chains make several blocks in one second.
  const stepMs = () => tools.blockMs ?? random.pick([0, 1000, 12_000]);
  const exactMs = from.parent === null ? Date.UTC(2026, 0, 1) : from.parent.exactMs + stepMs();
  const fees = executed.reduce((sum, one) => sum + one.transaction.gas * priorityFee, 0n);
  const paidBy = withdrawals.map(({ index, address, amountGwei }) =>
    incomeOf(address, amountGwei * 10n ** 9n, { kind: "withdrawal", index: BigInt(index) }),
  );
  for (const { to, amountAtomic } of [...paidBy, { to: miner, amountAtomic: fees }])
    move(balances, { asset: nativeAddress, from: zeroAddress, to, amountAtomic });
  const { header, json } = seal(keccak, {
    number,
    era,
    parentHash: parent?.hash ?? noTransaction,
    timeMs: exactMs,

    miner,
    baseFee,
    executed,
    withdrawals,
    stateRoot: random.hash(),
    accessList: accessListOf(from.balances, [...after, balances]),
  });
  const incomes = [...paidBy, incomeOf(miner, fees, { kind: "fees", blockHash: header.hash })];
  const movements = executed.flatMap((one) => movementsOf(one, state));
  return {
    header,
    json,
    balances,
    exactMs,
    withdrawals: before + paid,
    transactions: executed.map((one) => one.transaction),
    movements: [...movements, ...incomes],
  };
}

type Income = Extract<Movement, { kind: "income" }>;

function incomeOf(to: Address, amountAtomic: bigint, source: Income["source"]): Income {
  const place = { logIndex: null, tracePath: null };
  const moved = {
    asset: nativeAddress,
    txHash: noTransaction,
    from: zeroAddress,
    to,
    amountAtomic,
  } as const;
  return { kind: "income", source, ...moved, ...place };
}

function movementsOf(
  executed: Executed,
  { gasPrice, logsCoin }: { gasPrice: bigint; logsCoin: boolean },
): Movement[] {
  const { transaction, isSuccess, internal, coinLogged, logged, firstLog } = executed;
  const { hash: txHash, from, to, value } = transaction;
  const movements: Movement[] = [];
  const native = { kind: "transfer", asset: nativeAddress, txHash, logIndex: null } as const;
  if (isSuccess) {
    const top = { asset: nativeAddress, from, to, amountAtomic: value } as const;
    const tops = coinLogged.length > 0 && value > 0n && from !== to ? 1 : 0;
    movements.push({
      ...native,
      ...top,
      tracePath: null,
      ...(tops > 0 ? { logIndex: firstLog } : {}),
    });
    let coinLog = firstLog + tops;
    internal.forEach((payment, place) => {
      // Where all that moves is logged, what a contract sends to itself is nothing that moves, and
      // shows nowhere.
      if (logsCoin && payment.from === payment.to) return;
      const isLogged = coinLogged.includes(payment);
      const where = isLogged
        ? { logIndex: coinLog++, tracePath: null }
        : { tracePath: tracePathOf(executed, place) };
      movements.push({ ...native, ...payment, ...where });
    });
    logged.forEach((payment, place) => {
      const logIndex = firstLog + coinLogged.length + place;
      movements.push({ kind: "transfer", ...payment, txHash, logIndex, tracePath: null });
    });
  }
  const fee = {
    from,
    to: zeroAddress,
    amountAtomic: feeOf(transaction, gasPrice),
    tracePath: null,
  };
  movements.push({ ...native, ...fee, kind: "fee" });
  return movements;
}
