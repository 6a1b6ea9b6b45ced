import { z } from "zod";
import { receiptsProofs } from "../../../domain/chain/block-proof.ts";
import { addressText, count, idText, timeText } from "../../../schema/answers.ts";

// What the operator's verbs answer, by HTTP as on the command line.

export const shownBusiness = z
  .object({
    id: idText,
    name: z.string(),
    verified_at: timeText.nullable(),
    suspended_at: timeText.nullable(),
    notify_pending: z.boolean(),
    in_flight: z.int().nullable().meta({ description: "Null: the configured default." }),
    created_at: timeText,
  })
  .meta({ id: "Business" });

export const shownKey = z
  .object({
    id: idText,
    business_id: idText,
    label: z.string().nullable(),
    prefix: z.string().meta({ description: "The key's first characters." }),
    created_at: timeText,
    revoked_at: timeText.nullable(),
  })
  .meta({ id: "ApiKey" });

export const createdKey = z.object({
  ...shownKey.shape,
  key: z.string().meta({ description: "The key itself: shown here and never again." }),
});

export const shownWallet = z
  .object({
    wallet_id: idText,
    business_id: idText,
    blockchain: z.string(),
    address: addressText,
    currencies: z.array(z.string()),
    label: z.string().nullable(),
    reference: z.string().nullable(),
    purpose: z.enum(["deposit", "payment"]),
    status: z.enum(["syncing", "watched"]),
    from_block: count.nullable(),
    history: z.enum(["filling", "agrees", "differs", "unknown"]).nullable(),
    created_at: timeText,
  })
  .meta({ id: "AdminWallet" });

export const shownWebhook = z.object({
  id: idText,
  url: z.string(),
  is_active: z.boolean(),
  created_at: timeText,
  last_success_at: timeText.nullable(),
  consecutive_failures: count,
  disabled_at: timeText.nullable(),
  disabled_reason: z.string().nullable(),
});

export const ownedWebhook = z.object({ ...shownWebhook.shape, business_id: idText });

export const redelivery = z.object({ id: idText, delivery_id: idText });

export const requestedHistory = z.object({ wallet_id: idText, from_block: count });

export const removedWallet = z.object({ wallet_id: idText, removed_at: timeText });

const height = count.nullable();

const endpoint = z.object({
  name: z.string(),
  score: z.number(),
  head: height,
  latency_ms: z.number().nullable(),
  requests_per_second: z.number().nullable(),
  concurrency: z.number(),
  failures: count,
  last_error: z.string().nullable(),
});

export const shownStatus = z.object({
  chains: z.array(
    z.object({
      name: z.string(),
      position: height,
      cursor: height.meta({ deprecated: true, description: "The old name of `position`." }),
      head: height,
      confirmed: height,
      lag_blocks: height,
      lag_seconds: count.nullable(),
      stopped: z.object({ code: z.string(), reason: z.string() }).nullable(),
      discrepancies: count,
      unproven: count,
      histories: count,
      reconciled_at: timeText.nullable(),
      agreed: height,
      read_at: timeText.nullable(),
      tracing: z.enum(["debug", "parity", "off"]).nullable(),
      verification: z
        .object({
          header: z.boolean(),
          transactions: z.boolean(),
          receipts: z.enum(receiptsProofs),
        })
        .nullable(),
      endpoints: z.array(endpoint).nullable(),
    }),
  ),
  outbox: z.object({ waiting: count, held: count, oldest_waiting_at: timeText.nullable() }),
});

export const rewoundChain = z.object({ name: z.string(), from: count, to: count });

export const resetChainOutcome = z.object({
  name: z.string(),
  dropped: count,
  reversed: count,
  notified: count,
});

export const shownAuditEntry = z
  .object({
    id: idText,
    at: timeText,
    actor: z.string().meta({ description: "The admin token's name, or the system's user." }),
    via: z.enum(["http", "cli", "system"]),
    action: z.string().meta({ examples: ["business.suspend"] }),
    subject: z.string().nullable().meta({ description: "What was acted on." }),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "AuditEntry" });
