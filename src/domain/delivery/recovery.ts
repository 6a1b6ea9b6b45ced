import type { WebhookFilter } from "../webhook/filter.ts";
import type { RecoveredStatus } from "./delivery.ts";

/**
 * A batch of a recovery, and its preview, read this many notifications. That takes some tenths of a
 * second of one connection.
 */
export const lookedAtOnce = 10_000;

/** The states of a recovery. */
export const recoveryStates = {
  running: { description: "it goes on, in batches; while its webhook is inactive it waits" },
  done: { description: "everything that it is for is queued again" },
  failed: { description: "its webhook was deleted or replaced before: the rest is not queued" },
} as const satisfies Record<string, { description: string }>;

/** A recovery and its state: see `beginRecovery`. The audit trail has who asked for it. */
export type DeliveryRecovery = {
  id: string;
  webhookId: string;
  state: keyof typeof recoveryStates;
  since: Date;
  until: Date | null;
  include: readonly RecoveredStatus[];
  filter: WebhookFilter | null;
  /** It has read all notifications up to this creation time; null: none yet. */
  position: Date | null;
  /** The creation time of the newest notification that it covers; null: there was none. */
  through: Date | null;
  /** The deliveries that it has queued again. */
  queued: number;
  startedAt: Date;
  endedAt: Date | null;
};

/** Null: of any business. */
export type RecoveryName = { businessId: string | null; webhookId: string; recoveryId: string };
