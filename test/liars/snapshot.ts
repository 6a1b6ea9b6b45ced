import { readWalletBalancesAt } from "../../src/ledger/evidence/balances-at.ts";
import type { Run } from "./run.ts";

type RowKey = string;

/**
 * `isTold`: it is marked as the word of one endpoint: itself, the amounts in its logs, or that the
 * chain calls it final.
 */
type Row = {
  key: RowKey;
  status: string;
  blockNumber: bigint;
  blockHash: string;
  isTold: boolean;
};

/** What a ledger holds of one run's chain, with addresses and codes instead of ids. */
export type Snapshot = {
  confirmed: bigint;
  rows: Row[];
  /** Announced: what and in which state. */
  announced: (Pick<Row, "key" | "blockHash" | "isTold"> & { state: string })[];
  /** By wallet and asset; null: its opening is not known yet. */
  balances: Map<string, bigint | null>;
  /** Those whose opening or correction one endpoint alone has said. */
  toldHoldings: Set<string>;
  /** Up to which block each balance says that it was compared with the chain; null: to none. */
  compared: Map<string, bigint | null>;
  entries: { holding: string; amount: bigint; blockNumber: bigint }[];
  /** Holdings with a discrepancy that is open. */
  discrepancies: Set<string>;
};

/** What only corrects a balance is judged by the balance. */
const corrections = new Set(["adjustment", "unattributed"]);

export async function takeSnapshot({ watched }: Run): Promise<Snapshot> {
  const { db, chainName } = watched;
  const where = { chainName };
  const chain = await db.chain.findUniqueOrThrow({ where: { name: chainName } });
  const wallets = new Map(
    (await db.wallet.findMany({ where })).map((one) => [one.id, one.address]),
  );
  const assets = new Map((await db.asset.findMany({ where })).map((one) => [one.id, one.code]));
  const holdingOf = (one: { walletId: string; assetId: number }) =>
    `${wallets.get(one.walletId)} ${assets.get(one.assetId)}`;
  const transactions = await db.transaction.findMany({ where, orderBy: { id: "asc" } });
  const seen = new Map<string, number>();
  /** Equal ones are told apart by their number: one too many is one that never was. */
  const numbered = (words: string) => {
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    return count === 1 ? words : `${words} (${count})`;
  };
  const rows = transactions.map((one) => ({
    id: one.id,
    isCorrection: corrections.has(one.type),
    key: numbered(
      `${one.type} of ${one.amount.toFixed()} ${assets.get(one.assetId)} for ${wallets.get(one.walletId)}, ${one.fromAddress} -> ${one.toAddress} in ${one.txHash}`,
    ),
    status: one.orphaned ? `${one.status} (orphaned)` : one.status,
    blockNumber: one.blockNumber,
    blockHash: one.blockHash,
    isTold: one.proof === "answered" || one.proof === "bloom" || one.confirmedAlone,
  }));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const notifications = await db.notification.findMany({
    where: { transactionId: { in: [...byId.keys()] } },
  });
  const holdings = { wallet: { chainName } };
  const balances = await db.balance.findMany({ where: holdings });
  const entries = await db.ledgerEntry.findMany({ where: { balance: holdings } });
  return {
    confirmed: chain.confirmedNumber ?? -1n,
    rows: rows.filter((row) => !row.isCorrection),
    announced: notifications.flatMap(({ transactionId, state }) => {
      const row = byId.get(transactionId ?? "");
      return row === undefined
        ? []
        : [{ key: row.key, state, blockHash: row.blockHash, isTold: row.isTold }];
    }),
    balances: new Map(
      balances.map((one) => [
        holdingOf(one),
        one.opening === null ? null : BigInt(one.confirmed.toFixed()),
      ]),
    ),
    toldHoldings: new Set([
      ...balances.filter(({ openingProof }) => openingProof === "answered").map(holdingOf),
      ...transactions
        .filter(({ type, proof }) => corrections.has(type) && proof === "answered")
        .map(holdingOf),
    ]),
    compared: chain.confirmedNumber === null ? new Map() : await readCompared(db, chainName),
    entries: entries.map((one) => ({
      holding: holdingOf(one),
      amount: BigInt(one.amount.toFixed()),
      blockNumber: one.blockNumber,
    })),
    discrepancies: new Set((await db.discrepancy.findMany({ where })).map(holdingOf)),
  };
}

/** As the business is answered. */
async function readCompared(
  db: Run["watched"]["db"],
  chainName: string,
): Promise<Map<string, bigint | null>> {
  const compared = new Map<string, bigint | null>();
  for (const { id, businessId, address } of await db.wallet.findMany({ where: { chainName } })) {
    const asked = { businessId, walletId: id, at: { kind: "confirmed" } } as const;
    const { balances } = await readWalletBalancesAt(db, asked);
    for (const one of balances) compared.set(`${address} ${one.assetCode}`, one.comparedNumber);
  }
  return compared;
}
