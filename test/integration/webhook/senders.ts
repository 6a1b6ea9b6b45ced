import { randomUUID } from "node:crypto";
import { nothingAdded, type Outbound } from "../../../src/domain/webhook/outbound.ts";
import { newWebhookSecret } from "../../../src/domain/webhook/secret.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { ResolveHost } from "../../../src/webhook/resolve-host.ts";
import { createSender, type WebhookSender } from "../../../src/webhook/sender.ts";
import type { TargetPolicy } from "../../../src/webhook/target-guard.ts";

export const production: TargetPolicy = { ports: [], deny: [], allow: [], isLoopbackOpen: false };
const development: TargetPolicy = { ...production, isLoopbackOpen: true };

/** What is sent, where a test says nothing else. */
export const sent = {
  businessId: randomUUID(),
  secret: newWebhookSecret(),
  nextSecret: null,
  notificationId: "0199c2a1-0000-7000-8000-000000000000",
  startedAt: new Date(),
  body: '{"id":"1", "amount":"1.50", "text":"\\u0000 é 🔔"}',
};

const never = new AbortController().signal;
const unresolved: ResolveHost = () => Promise.reject(new Error("not asked"));

/** Senders in development mode, unless they are opened with something else; closed together. */
export function createSenders() {
  const senders: WebhookSender[] = [];
  return {
    open(own: {
      policy?: TargetPolicy;
      timeoutMs?: number;
      resolve?: ResolveHost;
      extraCa?: string;
      proxyUrl?: string;
    }): WebhookSender {
      const sender = createSender({
        policy: own.policy ?? development,
        timeoutMs: own.timeoutMs ?? 10_000,
        userAgent: "Chainbell/1.2.3",
        extraCa: own.extraCa ?? null,
        proxyUrl: own.proxyUrl ?? null,
        resolve: own.resolve ?? unresolved,
        clock: systemClock,
      });
      senders.push(sender);
      return sender;
    },
    close: () => Promise.all(senders.map((sender) => sender.close())),
  };
}

export function notify(
  sender: WebhookSender,
  url: string,
  own: { businessId?: string; previousId?: string; outbound?: Partial<Outbound> } = {},
) {
  const outbound = { ...nothingAdded, ...own.outbound };
  const businessId = own.businessId ?? sent.businessId;
  const previousId = own.previousId ?? null;
  return sender.post({ ...sent, url, businessId, previousId, outbound }, never);
}
