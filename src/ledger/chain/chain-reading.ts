import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import type { Reading } from "../../domain/chain/chain-rules.ts";
import type {
  AgreedReading,
  ChainHead,
  Discovery,
  EndpointHealth,
  ReportedReading,
} from "../../domain/chain/chain-status.ts";
import type { Hold } from "../../domain/chain/confirmation.ts";
import type { Evidence, UnreadUpgrade } from "../../domain/chain/profile.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";

/** As it is stored: JSON has no bigint. */
type StoredReading = Omit<
  ReportedReading,
  | "endpoints"
  | "head"
  | "held"
  | "agreed"
  | "evidence"
  | "upgrade"
  | "reading"
  | "givenUp"
  | "discovered"
  | "balances"
> & {
  /** The previous release does not write them. */
  reading?: Reading;
  givenUp?: string[];
  discovered?: Discovery | null;
  evidence?: Evidence;
  upgrade?: UnreadUpgrade | null;
  balances?: BalanceProof | null;
  agreed?: (Omit<AgreedReading, "number"> & { number: string }) | null;
  head?: (Omit<ChainHead, "number"> & { number: string }) | null;
  held?: (Omit<Hold, "number"> & { number: string }) | null;
  endpoints: StoredEndpoint[];
};

type InDay = "calls" | "callsHours" | "charged";

/** The previous release does not write what was asked in a day. */
type StoredEndpoint = Omit<EndpointHealth, "head" | InDay> &
  Partial<Pick<EndpointHealth, InDay>> & { head: string | null };

const notCounted: Pick<EndpointHealth, InDay> = { calls: 0, callsHours: 0, charged: null };

const notReported: Evidence = { level: "assumed", source: "not reported yet", checked: "" };

/**
 * Keeps the report of how a chain is being read, in the place of the report before. Discoveries
 * about an unknown chain stay until as much is found out anew. Safe to repeat.
 */
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
  const written = Prisma.sql`
    INSERT INTO chain_reading (chain_name, reading, told_at) VALUES (${chainName}, ${stored}::jsonb, now())
    ON CONFLICT (chain_name) DO UPDATE SET told_at = EXCLUDED.told_at, reading = EXCLUDED.reading || CASE
      WHEN (chain_reading.reading #>> '{discovered,blocks}')::int > COALESCE((EXCLUDED.reading #>> '{discovered,blocks}')::int, 0)
      THEN jsonb_build_object('discovered', chain_reading.reading -> 'discovered') ELSE '{}' END
    RETURNING chain_name`;
  const answer = (told: Prisma.Sql) => Prisma.sql`SELECT chain_name FROM ${told}`;
  await ask(db, { name: `reading of ${chainName}`, writes: [written], answer });
}

/** Reads the report that `writeReading` kept. */
export function toReading(json: unknown): ReportedReading {
  const stored = json as StoredReading;
  const endpoints = stored.endpoints.map((one) => ({
    ...notCounted,
    ...one,
    head: one.head === null ? null : BigInt(one.head),
  }));
  const { head = null, held = null, agreed = null, upgrade = null, balances = null } = stored;
  const { reading = "full", givenUp = [], discovered = null } = stored;
  const evidence = stored.evidence ?? notReported;
  const inNumbers = { head: withNumber(head), held: withNumber(held), agreed: withNumber(agreed) };
  const others = { evidence, upgrade, balances, reading, givenUp, discovered };
  return { ...stored, endpoints, ...others, ...inNumbers };
}

/** The `head` of what `writeReading` kept. */
export function toHead(json: unknown): ChainHead | null {
  return withNumber((json as StoredReading["head"]) ?? null);
}

function withText<One extends { number: bigint }>(one: One | null) {
  return one === null ? null : { ...one, number: one.number.toString() };
}

function withNumber<One extends { number: string }>(one: One | null) {
  return one === null ? null : { ...one, number: BigInt(one.number) };
}
