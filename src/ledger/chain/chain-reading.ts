import type { ChainHead, ChainReading } from "../../domain/chain/chain-status.ts";
import { type Database, reaching } from "../postgres/database.ts";

/** As it is stored: JSON has no bigint. */
type StoredReading = Omit<ChainReading, "endpoints" | "head"> & {
  /** The previous release does not write it. */
  head?: (Omit<ChainHead, "number"> & { number: string }) | null;
  endpoints: (Omit<ChainReading["endpoints"][number], "head"> & { head: string | null })[];
};

/** Keeps how a chain is being read, in the place of what was said before. Safe to repeat. */
export async function writeReading(
  db: Database,
  chainName: string,
  reading: ChainReading,
): Promise<void> {
  const endpoints = reading.endpoints.map((one) => ({
    ...one,
    head: one.head?.toString() ?? null,
  }));
  const { head } = reading;
  const named = head === null ? null : { ...head, number: head.number.toString() };
  const stored: StoredReading = { ...reading, endpoints, head: named };
  await reaching(
    () => db.$executeRaw`
      INSERT INTO chain_reading (chain_name, reading, told_at) VALUES (${chainName}, ${stored}::jsonb, now())
      ON CONFLICT (chain_name) DO UPDATE SET reading = EXCLUDED.reading, told_at = EXCLUDED.told_at`,
  );
}

/** What `writeReading` kept. */
export function toReading(json: unknown): ChainReading {
  const stored = json as StoredReading;
  const endpoints = stored.endpoints.map((one) => ({
    ...one,
    head: one.head === null ? null : BigInt(one.head),
  }));
  const { head = null } = stored;
  const named = head === null ? null : { ...head, number: BigInt(head.number) };
  return { ...stored, endpoints, head: named };
}
