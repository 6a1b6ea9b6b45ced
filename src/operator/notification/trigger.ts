import { z } from "zod";
import { type NotificationEvent, notificationEvents } from "../../domain/delivery/notification.ts";
import type { NotificationDetail } from "../../domain/delivery/recorded-notification.ts";
import { Fault } from "../../domain/fault.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { idText } from "../../schema/answers.ts";
import { defineCommand } from "../define-command.ts";
import { defineChange } from "../define-verb.ts";
import { oneOf, optional, required, text } from "../parameter.ts";
import { type BusinessPorts, businessOf } from "./business-of.ts";

const events = keysOf(notificationEvents);

type Asked = { businessId: string; event: NotificationEvent };

type Ledger = {
  writeSample: (asked: Asked) => Promise<{ notificationId: string; url: string | null }>;
};

/** Writes the sample, with an audit entry. */
const writeSample = defineChange({
  noun: "notification",
  http: null,
  cli: null,
  check: (asked: Asked) => asked,
  call: (ledger: Ledger, asked) => ledger.writeSample(asked),
  audit: {
    action: "notification.trigger",
    describe: ({ notificationId }, { event: name }) => ({
      subject: notificationId,
      details: { event: name },
    }),
  },
  answer: z.object({ id: idText, event: z.string(), webhook: z.string().nullable() }),
  present: ({ notificationId, url }, { event: name }) => ({
    id: notificationId,
    event: name,
    webhook: url,
  }),
});

export type TriggerPorts = BusinessPorts &
  Parameters<typeof writeSample.perform>[0] & {
    /** True in development mode, where no notification is about real money. */
    isDevelopment: boolean;
    /**
     * Waits a few seconds for the first attempt, unless the delivery is held or no daemon delivers.
     * Returns the notification.
     */
    followFirstAttempt: (name: {
      businessId: string;
      notificationId: string;
    }) => Promise<NotificationDetail>;
  };

const notTried = "No daemon has tried to deliver it yet. It is kept: a running daemon delivers it.";

type Input = { event: NotificationEvent; business: string | undefined };

/**
 * Delivers a sample of an event to a business's webhook, as any other notification. The body does
 * not say that it is a sample, and a receiver would credit it as money. So it is refused outside of
 * development mode. Each call makes another notification.
 * @throws Fault `invalid_request` outside of development mode; `business_not_found`,
 *   `wallet_not_found`
 */
export const trigger = defineCommand({
  noun: null,
  name: "trigger",
  help: `Send a signed sample of an event, in development mode: ${events.join(", ")}.`,
  examples: ["trigger transaction.deposit", "trigger transaction.reversed --json"],
  takes: {
    event: {
      ...required("<event>", oneOf(events), "one of these events"),
      kind: "argument" as const,
    },
    business: optional(
      "--business <id>",
      text,
      "the business; otherwise the only one, or the demo business",
    ),
  },
  run: async (ports: TriggerPorts, { event: name, business }: Input) => {
    if (!ports.isDevelopment)
      throw new Fault(
        "invalid_request",
        "Samples are for development mode alone: a receiver would take one for money. Use POST /webhooks/:id/test.",
      );
    const { id: businessId } = await businessOf(ports, business);
    const sent = await writeSample.perform(ports, { businessId, event: name });
    const detail = await ports.followFirstAttempt({ businessId, notificationId: sent.id });
    const [first] = detail.attemptLog;
    return {
      ...sent,
      status: detail.status,
      status_code: first?.statusCode ?? null,
      error: first?.errorKind ?? null,
      body: detail.body,
      ...(detail.status === "waiting" && first === undefined ? { says: notTried } : {}),
    };
  },
});
