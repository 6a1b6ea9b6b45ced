import type { ChainHeights } from "../../domain/chain/chain-status.ts";
import { type Database, reaching } from "../postgres/database.ts";
import { toReading } from "./chain-reading.ts";
import { lagOf } from "./lag.ts";

/** How far each chain is, by name, and nothing that is an operator's alone. `nowMs` is in ms since the epoch. */
export async function readChainHeights(db: Database, nowMs: number): Promise<ChainHeights[]> {
  const rows = await reaching(() =>
    db.chain.findMany({
      orderBy: { name: "asc" },
      include: { reading: true, assets: { where: { address: "native", configured: true } } },
    }),
  );
  return rows.map((row) => {
    const { name, evmChainId: chainId, positionNumber: position, positionTime: time } = row;
    const reading = row.reading === null ? null : toReading(row.reading.reading);
    const heads = { named: reading?.head ?? null, known: row.headNumber };
    const at =
      position === null || time === null ? null : { number: position, timeMs: time.getTime() };
    const { head, lagSeconds } = lagOf(at, heads, nowMs);
    return {
      ...{ name, chainId, position, head, lagSeconds, confirmed: row.confirmedNumber },
      nativeAsset: row.assets[0]?.code ?? null,
      isStopped: row.stoppedCode !== null,
      isHeld: (reading?.held ?? null) !== null,
    };
  });
}
