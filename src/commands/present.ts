import type { ApiKey } from "../domain/business/api-key.ts";
import type { AuditEntry } from "../domain/business/audit.ts";
import type { Business } from "../domain/business/business.ts";
import type { ChainStatus, LedgerStatus } from "../domain/chain/chain-status.ts";
import { toChecksum } from "../domain/chain/checksum.ts";
import type { Page } from "../domain/page.ts";
import type { Wallet } from "../domain/watch/wallet.ts";

// What the operator sees, by HTTP and on the command line alike: ready for JSON.

/** One page of a list; `next_cursor` asks for the next one. */
export type Listed<T> = { data: T[]; next_cursor: string | null };

export function presentPage<T, Shown>(page: Page<T>, present: (row: T) => Shown): Listed<Shown> {
  return { data: page.rows.map(present), next_cursor: page.nextCursor };
}

export type ShownBusiness = ReturnType<typeof presentBusiness>;

export function presentBusiness(business: Business) {
  return {
    id: business.id,
    name: business.name,
    verified_at: timeOf(business.verifiedAt),
    suspended_at: timeOf(business.suspendedAt),
    notify_pending: business.notifyPending,
    in_flight: business.inFlight,
    created_at: business.createdAt.toISOString(),
  };
}

export type ShownApiKey = ReturnType<typeof presentApiKey>;

export function presentApiKey(key: ApiKey) {
  return {
    id: key.id,
    business_id: key.businessId,
    label: key.label,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    revoked_at: timeOf(key.revokedAt),
  };
}

export type ShownWallet = ReturnType<typeof presentWallet>;

export function presentWallet(wallet: Wallet) {
  return {
    wallet_id: wallet.id,
    business_id: wallet.businessId,
    blockchain: wallet.chainName,
    address: toChecksum(wallet.address),
    currencies: wallet.currencies,
    label: wallet.label,
    reference: wallet.reference,
    purpose: wallet.purpose,
    status: wallet.status,
    from_block: numberOf(wallet.fromBlock),
    history: wallet.history,
    created_at: wallet.createdAt.toISOString(),
  };
}

export type ShownAuditEntry = ReturnType<typeof presentAuditEntry>;

export function presentAuditEntry({ id, at, actor, action, subject, details }: AuditEntry) {
  return {
    id,
    at: at.toISOString(),
    actor: actor.name,
    via: actor.via,
    action,
    subject,
    details,
  };
}

export type ShownStatus = ReturnType<typeof presentStatus>;

export function presentStatus({ chains, outbox }: LedgerStatus) {
  return {
    chains: chains.map((chain) => ({
      name: chain.name,
      position: numberOf(chain.position),
      // The old name, for one more version.
      cursor: numberOf(chain.position),
      head: numberOf(chain.head),
      confirmed: numberOf(chain.confirmed),
      lag_blocks: numberOf(chain.lagBlocks),
      lag_seconds: chain.lagSeconds,
      stopped: chain.stopped,
      discrepancies: chain.discrepancies,
      unproven: chain.unproven,
      histories: chain.histories,
      reconciled_at: timeOf(chain.reconciledAt),
      agreed: numberOf(chain.agreed),
      ...presentReading(chain.reading),
    })),
    outbox: {
      waiting: outbox.waiting,
      held: outbox.held,
      oldest_waiting_at: timeOf(outbox.oldestWaitingAt),
    },
  };
}

/** All null before a watcher has said anything. */
function presentReading(reading: ChainStatus["reading"]) {
  if (reading === null)
    return { read_at: null, tracing: null, verification: null, endpoints: null };
  const { tracing, verification, endpoints, reportedAt } = reading;
  return {
    read_at: timeOf(reportedAt),
    tracing,
    verification,
    endpoints: endpoints.map((endpoint) => ({
      name: endpoint.name,
      score: endpoint.score,
      head: numberOf(endpoint.head),
      latency_ms: endpoint.latencyMs,
      requests_per_second: endpoint.requestsPerSecond,
      concurrency: endpoint.concurrency,
      failures: endpoint.failures,
      last_error: endpoint.lastError,
    })),
  };
}

function timeOf(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** A block height: far below 2^53 on every chain there is. */
function numberOf(height: bigint | null): number | null {
  return height === null ? null : Number(height);
}
