import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import { type Drawback, drawbacks, type Reading } from "../../domain/chain/chain-rules.ts";
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
  /** The previous release does not write the following fields. */
  reading?: Reading;
  /** The previous release writes sentences. */
  givenUp?: string[];
  discovered?: Discovery | null;
  evidence?: Evidence;
  upgrade?: UnreadUpgrade | null;
  balances?: BalanceProof | null;
  agreed?: StoredAgreed | null;
  head?: (Omit<ChainHead, "number"> & { number: string }) | null;
  held?: (Omit<Hold, "number"> & { number: string }) | null;
  endpoints: StoredEndpoint[];
};

/** The previous release does not write what could not be read. */
type StoredAgreed = Omit<AgreedReading, "number" | Unread> &
  Partial<Pick<AgreedReading, Unread>> & { number: string };

type Unread = "unread" | "unknown";

const notSaid: Pick<AgreedReading, Unread> = { unread: null, unknown: [] };

type InDay = "calls" | "callsHours" | "charged";

/** The previous release does not write the daily counts of requests. */
type StoredEndpoint = Omit<EndpointHealth, "head" | InDay> &
  Partial<Pick<EndpointHealth, InDay>> & { head: string | null };

const notCounted: Pick<EndpointHealth, InDay> = { calls: 0, callsHours: 0, charged: null };

const notReported: Evidence = { level: "assumed", source: "not reported yet", checked: "" };

/**
 * Stores a watcher's report on its chain, in place of the report before. Discoveries about an
 * unknown chain stay until the new report is based on at least as many blocks. Safe to repeat.
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

/**
 * Turns a report that `writeReading` stored into its type. Fills in fields that an older release
 * did not write.
 */
export function toReading(json: unknown): ReportedReading {
  const stored = json as StoredReading;
  const endpoints = stored.endpoints.map((one) => ({
    ...notCounted,
    ...one,
    head: one.head === null ? null : BigInt(one.head),
  }));
  const { head = null, held = null, agreed = null, upgrade = null, balances = null } = stored;
  const { reading = "full", discovered = null } = stored;
  const givenUp = (stored.givenUp ?? []).filter(isDrawback);
  const evidence = stored.evidence ?? notReported;
  const inNumbers = {
    head: withNumber(head),
    held: withNumber(held),
    agreed: withNumber(agreed && { ...notSaid, ...agreed }),
  };
  const others = { evidence, upgrade, balances, reading, givenUp, discovered };
  return { ...stored, endpoints, ...others, ...inNumbers };
}

function isDrawback(text: string): text is Drawback {
  return Object.hasOwn(drawbacks, text);
}

/** The `head` of a report that `writeReading` stored. */
export function toHead(json: unknown): ChainHead | null {
  return withNumber((json as StoredReading["head"]) ?? null);
}

function withText<One extends { number: bigint }>(one: One | null) {
  return one === null ? null : { ...one, number: one.number.toString() };
}

function withNumber<One extends { number: string }>(one: One | null) {
  return one === null ? null : { ...one, number: BigInt(one.number) };
}
