import type { AgreedReading, ChainHead, ReportedReading } from "../../domain/chain/chain-status.ts";
import type { Hold } from "../../domain/chain/confirmation.ts";
import { type Database, reaching } from "../postgres/database.ts";

/** As it is stored: JSON has no bigint. */
type StoredReading = Omit<ReportedReading, "endpoints" | "head" | "held" | "agreed"> & {
  /** The previous release does not write them. */
  agreed?: (Omit<AgreedReading, "number"> & { number: string }) | null;
  head?: (Omit<ChainHead, "number"> & { number: string }) | null;
  held?: (Omit<Hold, "number"> & { number: string }) | null;
  endpoints: (Omit<ReportedReading["endpoints"][number], "head"> & { head: string | null })[];
};

/** Keeps how a chain is being read, in the place of what was said before. Safe to repeat. */
export async function writeReading(
  db: Database,
  chainName: string,
  reading: ReportedReading,
): Promise<void> {
  const endpoints = reading.endpoints.map((one) => ({
    ...one,
    head: one.head?.toString() ?? null,
  }));
  const stored: StoredReading = {
    ...reading,
    endpoints,
    head: withText(reading.head),
    agreed: withText(reading.agreed),
    held: withText(reading.held),
  };
  await reaching(
    () => db.$executeRaw`
      INSERT INTO chain_reading (chain_name, reading, told_at) VALUES (${chainName}, ${stored}::jsonb, now())
      ON CONFLICT (chain_name) DO UPDATE SET reading = EXCLUDED.reading, told_at = EXCLUDED.told_at`,
  );
}

/** What `writeReading` kept. */
export function toReading(json: unknown): ReportedReading {
  const stored = json as StoredReading;
  const endpoints = stored.endpoints.map((one) => ({
    ...one,
    head: one.head === null ? null : BigInt(one.head),
  }));
  const { head = null, held = null, agreed = null } = stored;
  const inNumbers = { head: withNumber(head), held: withNumber(held), agreed: withNumber(agreed) };
  return { ...stored, endpoints, ...inNumbers };
}

function withText<One extends { number: bigint }>(one: One | null) {
  return one === null ? null : { ...one, number: one.number.toString() };
}

function withNumber<One extends { number: string }>(one: One | null) {
  return one === null ? null : { ...one, number: BigInt(one.number) };
}
