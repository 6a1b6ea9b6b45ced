import { z } from "zod";
import type { StatusCounts } from "../../../domain/business/notification-counts.ts";
import { deliveryStatuses } from "../../../domain/delivery/delivery.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import { buckets, bucketsOf, maxBuckets } from "../../../domain/time-bucket.ts";
import { count, dataAnswer, dataBody, timeText } from "../../../schema/answers.ts";
import { dateField, idField } from "../../../schema/fields.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type CountsDeps = ListDeps & {
  clock: { now: () => number };
};

const names = keysOf(buckets);

const range = {
  bucket: z.enum(names, `expected one of ${names.join(", ")}`).default("day"),
  from: dateField.optional(),
  to: dateField.optional(),
};

const about = `UTC ${names.join("s or ")}s, the oldest first, with empty ones, at most ${maxBuckets}. Without \`to\`: up to now. Without \`from\`: thirty of them.`;

const at = timeText.meta({ description: "When the hour or day of the row begins." });

const transactions = z
  .object({ at, deposits: count, payments: count, withdrawals: count, reversed: count })
  .meta({ id: "TransactionCount" });

const statuses = {
  waiting: count,
  delivered: count,
  exhausted: count,
  held: count,
  cancelled: count,
  filtered: count,
} satisfies Record<keyof StatusCounts, typeof count>;

const notifications = z.object({
  buckets: z.array(z.object({ at, ...statuses }).meta({ id: "NotificationCount" })),
  total: z.object(statuses).meta({ id: "NotificationTotal" }),
  undelivered: count.meta({
    description:
      "Notifications that wait, are held or were given up: `waiting`, `held` and `exhausted` of `total` together.",
  }),
  complete: z.boolean().meta({
    description:
      "False where 200,000 or more are not delivered. Those count too that the filter of the first of several webhooks left out. With `webhook_id` where the time has 100,000 notifications or more. Older ones are left out then.",
    examples: [true],
  }),
});

/** Adds the counts of transactions and of notifications, for each interval of time. */
export function countsRoutes(web: Web, deps: CountsDeps): void {
  const ofTransactions = {
    tags: ["Transactions"],
    operationId: "countTransactions",
    summary: "How many transactions there were, hour by hour or day by day",
    description: `By the times of their blocks. ${about} A reversed transaction is counted there alone, a dropped one nowhere.`,
    querystring: z.strictObject({ ...range, wallet_id: idField.optional() }),
    response: { 200: dataAnswer(z.array(transactions)) },
    mayBeStale: true,
  };
  web.get("/transactions/counts", { schema: ofTransactions }, async (request, reply) => {
    const { wallet_id: walletId = null, ...asked } = request.query;
    const range = bucketsOf(asked, deps.clock.now());
    const wanted = { businessId: businessOf(request), walletId, range };
    const counts = await listed(reply, deps, (ledger) => ledger.countTransactions(wanted));
    return dataBody(
      counts.map(({ at: begins, deposit, payment, withdrawal, reversed }) => ({
        at: begins.toISOString(),

        deposits: deposit,
        payments: payment,
        withdrawals: withdrawal,
        reversed,
      })),
    );
  });

  const ofNotifications = {
    tags: ["Notifications"],
    operationId: "countNotifications",
    summary: `How the notifications of each hour or day stand: ${keysOf(deliveryStatuses).join(", ")}`,
    description: `By the times at which they were written. ${about} Each counts once. Of several webhooks, the worst status counts: \`exhausted\`, then \`held\`, then \`waiting\`. Else it is \`delivered\` if a webhook has it. With \`webhook_id\`: those that were written for this webhook, as they stand there.`,
    querystring: z.strictObject({ ...range, webhook_id: idField.optional() }),
    response: { 200: dataAnswer(notifications) },
    mayBeStale: true,
  };
  web.get("/notifications/counts", { schema: ofNotifications }, async (request, reply) => {
    const { webhook_id: webhookId = null, ...asked } = request.query;
    const range = bucketsOf(asked, deps.clock.now());
    const wanted = { businessId: businessOf(request), webhookId, range };
    const counts = await listed(reply, deps, (ledger) => ledger.countNotifications(wanted));
    const shown = counts.buckets.map(({ at: begins, ...each }) => ({
      at: begins.toISOString(),
      ...each,
    }));
    const { total, isWhole: complete } = counts;
    const undelivered = total.waiting + total.held + total.exhausted;
    return dataBody({ buckets: shown, total, undelivered, complete });
  });
}
