import { randomBytes } from "node:crypto";
import { idAt } from "../../../src/domain/id.ts";
import type { Database } from "./database.ts";
import { randomAddress, randomHash } from "./ledger-fixtures.ts";

type SightingFixture = {
  businessId: string;
  walletId: string;
  toAddress: string;
  blockNumber?: bigint;
  timeMs?: number;
  symbol?: string;
  fromAddress?: string;
};

/** A sighting on ethereum that nobody has reported. */
export async function insertSighting(db: Database, given: SightingFixture) {
  const { businessId, walletId, toAddress, symbol = null } = given;
  const { blockNumber = 100n, timeMs = Date.UTC(2026, 0, 31) } = given;
  const { fromAddress = randomAddress() } = given;
  const row = {
    id: idAt(timeMs),
    identity: randomBytes(32),
    chainName: "ethereum",
    businessId,
    walletId,
    contract: randomAddress(),
    symbol,
    amount: (2n ** 255n + 1n).toString(),
    txHash: randomHash(),
    fromAddress,
    toAddress,
    blockNumber,
    blockHash: randomHash(),
    blockTime: new Date(timeMs),
    logIndex: 7,
    proof: "root",
  };
  await db.sighting.create({ data: row });
  return row;
}
