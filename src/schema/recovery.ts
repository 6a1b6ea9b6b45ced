import { z } from "zod";
import type { AuditSubject } from "../domain/business/audit.ts";
import {
  type RecoveryAsked,
  type RecoveryPreview,
  recoveredStatuses,
} from "../domain/delivery/delivery.ts";
import {
  type DeliveryRecovery,
  lookedAtOnce,
  recoveryStates,
} from "../domain/delivery/recovery.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import { count, idText, timeText } from "./answers.ts";
import { dateField, given } from "./fields.ts";
import { filterFields, filterOf, presentFilter, shownFilter } from "./webhook-filter.ts";

/** The fields of a recovery, for a business and an operator alike. */
export const recoveryFields = {
  since: dateField,
  until: dateField.optional(),
  include: z
    .array(z.enum(recoveredStatuses, `expected some of ${recoveredStatuses.join(", ")}`))
    .min(1, "must have at least one status")
    .optional()
    .meta({
      description:
        "The states of delivery that are queued again. `waiting` makes retries due now. Left out: all states except `waiting`.",
    }),
  filter: filterFields.optional().meta({
    description:
      "The filter of the recovery: only notifications that it lets through are queued. `min_usd` is the worth at confirmation.",
  }),
};

const fields = z.object(recoveryFields);

/** The recovery that a request asks for. A filter without fields counts as no filter. */
export function recoveryAsked(asked: z.output<typeof fields>): RecoveryAsked {
  const { since, until = null, include } = asked;
  const filter = filterOf(asked.filter) ?? {};
  const isFiltered = Object.keys(filter).length > 0;
  return { since, until, ...given({ include, filter: isFiltered ? filter : undefined }) };
}

/** The audit entry of a recovery, with what was asked for. There is one for each recovery. */
export function recoveryAudit(
  { id, webhookId }: DeliveryRecovery,
  asked: RecoveryAsked,
): AuditSubject {
  return { subject: webhookId, details: { ...asked, recoveryId: id } };
}

/** A recovery and its progress. */
export const shownRecovery = z
  .object({
    recovery: idText.meta({ description: "The id of the recovery." }),
    webhook_id: idText,
    state: z.enum(keysOf(recoveryStates)).meta({ description: meaningsIn(recoveryStates) }),
    queued: count.meta({
      description: "The number of notifications that the recovery has queued again so far.",
    }),
    since: timeText,
    until: timeText.nullable(),
    include: z.array(z.enum(recoveredStatuses)),
    filter: shownFilter,
    position: timeText.nullable().meta({
      description:
        "The progress: all notifications written up to this time were looked at. Null: none was yet.",
    }),
    through: timeText.nullable().meta({
      description:
        "When the newest notification of the recovery was written. Null: there was none.",
    }),
    started_at: timeText,
    ended_at: timeText.nullable(),
  })
  .meta({ id: "Recovery" });

export function presentRecovery(recovery: DeliveryRecovery): z.output<typeof shownRecovery> {
  const { id, webhookId, state, queued, since, until, include } = recovery;
  const { filter, position, through, startedAt, endedAt } = recovery;
  return {
    recovery: id,
    webhook_id: webhookId,
    state,
    queued,
    since: since.toISOString(),
    until: until?.toISOString() ?? null,
    include: [...include],
    filter: presentFilter(filter),
    position: position?.toISOString() ?? null,
    through: through?.toISOString() ?? null,
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** The answer of a preview, which starts no recovery. */
export const shownPreview = z.object({
  count: count.meta({
    description:
      "The number of notifications that the recovery would queue again, among those that it has looked at.",
  }),
  more: z.boolean().meta({
    description: `True: it has looked only at the ${lookedAtOnce} oldest notifications of the period. \`count\` is then a least number.`,
  }),
  first: z
    .array(
      z.object({
        id: idText,
        event: z.string(),
        status: z.enum(recoveredStatuses),
        created_at: timeText,
      }),
    )
    .meta({ description: "The ten oldest of those notifications." }),
});

export function presentPreview({
  count: found,
  hasMore,
  first,
}: RecoveryPreview): z.output<typeof shownPreview> {
  return {
    count: found,
    more: hasMore,
    first: first.map(({ createdAt, ...shown }) => ({
      ...shown,
      created_at: createdAt.toISOString(),
    })),
  };
}

/** A recovery's progress since its first answer, in percent of the period that was left then. */
export function recoveryProgress(
  first: z.output<typeof shownRecovery>,
  now: z.output<typeof shownRecovery>,
): number {
  if (now.state === "done") return 100;
  const begunMs = Date.parse(first.position ?? first.since);
  const allMs = Date.parse(first.through ?? first.since) - begunMs;
  const doneMs = Date.parse(now.position ?? first.since) - begunMs;
  return allMs <= 0 ? 0 : Math.floor((doneMs / allMs) * 100);
}
