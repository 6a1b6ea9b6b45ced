import type { WatchedChain } from "../chain/watched-chain.ts";

/**
 * Every row that a chain has made, in a form in which two ledgers of the same chain can be
 * compared: ids, clocks and pending events are left out, wallets and assets are named by what they
 * are.
 */
export async function comparableRows({ db, chainName }: WatchedChain) {
  const wallets = new Map((await db.wallet.findMany()).map((one) => [one.id, one.address]));
  const assets = new Map((await db.asset.findMany()).map((one) => [one.id, one.code]));
  const of = (row: { walletId: string; assetId: number }) => ({
    walletId: wallets.get(row.walletId),
    assetId: assets.get(row.assetId),
  });
  const transactions = await db.transaction.findMany({
    orderBy: [{ blockNumber: "asc" }, { ordinal: "asc" }],
  });
  // The wallet's id is a part of the identity, and the id of the transaction is minted.
  const shown = transactions.map(({ id: _, identity: __, businessId: ___, ...row }) => ({
    ...row,
    ...of(row),
    amount: row.amount.toFixed(),
    completedAt: row.completedAt !== null,
    createdAt: null,
    usdValue: row.usdValue?.toFixed() ?? null,
  }));
  const placeOf = new Map(transactions.map((row, place) => [row.id, place]));
  const balances = (await db.balance.findMany()).map(({ sinceChangeId: _, ...row }) => ({
    ...of(row),
    confirmed: row.confirmed.toFixed(),
    pending: row.pending.toFixed(),
    opening: row.opening?.toFixed() ?? null,
  }));
  const entries = (await db.ledgerEntry.findMany({ orderBy: { id: "asc" } })).map((row) => ({
    ...of(row),
    transaction: row.transactionId === null ? null : placeOf.get(row.transactionId),
    kind: row.kind,
    amount: row.amount.toFixed(),
    blockNumber: row.blockNumber,
  }));
  const notifications = await db.notification.findMany({
    where: { state: { not: "pending" } },
    // Those of one transaction keep this order below.
    orderBy: [{ seq: "asc" }, { round: "asc" }, { state: "asc" }],
    include: { deliveries: true },
  });
  const {
    watchVersion: _,
    createdAt: __,
    // Which hosts trace, and since when, is a property of the endpoints.
    tracedBy: ___,
    ...chain
  } = await db.chain.findUniqueOrThrow({
    where: { name: chainName },
  });
  const inOrder = <T>(rows: T[]) =>
    rows.map((row) => [text(row), row] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    chain,
    blocks: await db.block.findMany({ orderBy: { number: "asc" } }),
    transactions: shown,
    balances: inOrder(balances).map(([, row]) => row),
    entries: inOrder(entries).map(([, row]) => row),
    notifications: notifications
      .map((row) => ({
        transaction: row.transactionId === null ? null : placeOf.get(row.transactionId),
        round: row.round,
        state: row.state,
        event: row.event,
        body: bodyOf(row.body),
        deliveries: row.deliveries.length,
      }))
      .sort((a, b) => (a.transaction ?? 0) - (b.transaction ?? 0)),
  };
}

function text(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

function bodyOf(body: string): { data: Record<string, unknown> } {
  const { id: _, timestamp: __, data, ...rest } = JSON.parse(body);
  return { ...rest, data: { ...data, transactionId: null, walletId: null } };
}
