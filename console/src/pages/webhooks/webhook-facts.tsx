import { fill, text, wordOf } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import { DueAt, When } from "../../ui/show/when.tsx";
import type { Schema } from "../../wire/api.ts";
import { LastAnswer } from "../parts/last-answer.tsx";
import { ReceiverBadge } from "../parts/receiver-badge.tsx";
import { wantsText } from "./webhook-wish.ts";

/** All facts of a webhook. */
export function WebhookFacts({ of }: { of: Schema<"WebhookInOrder"> }) {
  const words = text.webhooks;
  return (
    <>
      <div class="row row-wrap">
        <strong class="break">{of.url}</strong>
        <ReceiverBadge of={of} off={words.inactive} />
      </div>
      {of.description !== null && (
        <p>
          <Foreign text={of.description} />
        </p>
      )}
      {of.is_active && of.consecutive_failures > 0 && (
        <p>
          <LastAnswer webhookId={of.id} />
        </p>
      )}
      <Facts
        of={[
          [
            words.lastSuccess,
            of.last_success_at === null ? (
              words.never
            ) : (
              <Moment key="success" at={of.last_success_at} />
            ),
          ],
          [words.failures, String(of.consecutive_failures)],
          of.disabled_at === null
            ? null
            : [
                words.disabled,
                <span key="disabled">
                  <When at={of.disabled_at} />
                  {of.disabled_reason !== null && `: ${wordOf(words.reasons, of.disabled_reason)}`}
                </span>,
              ],
          of.circuit_retry_at === null
            ? null
            : [words.retry, <DueAt key="retry" at={of.circuit_retry_at} />],
          [words.wants, <Foreign key="wants" text={wantsText(of.filter)} />],
          [words.order, of.order === "wallet" ? words.byWallet : words.noOrder],
          ...linesOf(of.lines),
          [words.rate, of.rate === null ? words.noRate : fill(words.perSecond, { rate: of.rate })],
          of.header_names.length === 0 ? null : [words.headers, of.header_names.join(", ")],
          of.public_key === null
            ? null
            : [words.publicKey, <Hash key="key" value={of.public_key} what={words.publicKey} />],
          of.next_public_key === null
            ? null
            : [
                words.nextPublicKey,
                <Hash key="next" value={of.next_public_key} what={words.nextPublicKey} />,
              ],
          of.client_certificate === null
            ? null
            : [words.certificate, <Moment key="cert" at={of.client_certificate.expires_at} />],
          [words.created, <Moment key="created" at={of.created_at} />],
          [words.id, <Hash key="id" value={of.id} what={words.id} />],
        ]}
      />
    </>
  );
}

/** The wallets that wait for a notification, and since when. Nothing without an order. */
function linesOf(lines: Schema<"WebhookInOrder">["lines"]) {
  if (lines === null) return [];
  const { waiting, held, oldest_waiting_at: oldest } = lines;
  const words = text.webhooks;
  const count = held === 0 ? String(waiting) : fill(words.someHeld, { waiting, held });
  return [
    [words.waitingWallets, count] as const,
    oldest === null ? null : ([words.waitsSince, <When key="since" at={oldest} />] as const),
  ];
}
