import { text } from "../../text/text.ts";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import { BusinessLink } from "../parts/business-names.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { DeliveryBadge } from "../parts/delivery-badge.tsx";
import { NotifiedMoney } from "../parts/notified-money.tsx";
import { notifiedNumber } from "../parts/notified-number.ts";
import { Attempts } from "./attempts.tsx";
import { ExactRequest } from "./exact-request.tsx";
import { hasSeveral, type Sent } from "./sent.ts";
import { SignatureCheck } from "./signature-check.tsx";

type Shown = { of: Sent; resend: () => Promise<unknown>; again: () => void };

/** One notification: its attempts, their answers, and the request. */
export function DeliveryDetail({ of, resend, again }: Shown) {
  const { isBusy, run } = useAction(async () => {
    await resend();
    showToast("good", text.deliveries.resent);
    again();
  });
  const number = notifiedNumber(of.payload);
  const url = of.attempts.at(-1)?.url ?? null;
  return (
    <div class="stack">
      <div class="row row-wrap">
        {number !== null && <strong>{number}</strong>}
        <DeliveryBadge status={of.status} />
        <span class="push row">
          <ChangeButton
            needs={{ business: "notifications", operator: "businesses" }}
            icon="undo"
            isBusy={isBusy}
            onClick={run}
          >
            {text.deliveries.resend}
          </ChangeButton>
        </span>
      </div>
      <Section title={text.deliveries.attempts}>
        <Attempts of={of.attempts} status={of.status} />
      </Section>
      <Section title={text.common.details}>
        <Facts
          of={[
            of.business_id === undefined
              ? null
              : [text.businesses.one, <BusinessLink key="business" id={of.business_id} />],
            [text.transactions.amount, <NotifiedMoney key="money" of={of} />],
            [text.deliveries.id, <Hash key="id" value={of.id} what={text.deliveries.id} />],
            of.transaction_id === null
              ? null
              : [
                  text.transactions.one,
                  <a key="transaction" href={`/console/transactions/${of.transaction_id}`}>
                    {text.deliveries.toTransaction}
                  </a>,
                ],
            // Of several webhooks each attempt has its own.
            url === null || hasSeveral(of) ? null : [text.deliveries.url, url],
            [text.deliveries.created, <Moment key="created" at={of.created_at} />],
            of.delivered_at === null
              ? null
              : [text.deliveries.delivered, <Moment key="delivered" at={of.delivered_at} />],
          ]}
        />
      </Section>
      <ExactRequest of={of} />
      <Section title={text.signature.title}>
        <SignatureCheck of={of} />
      </Section>
    </div>
  );
}
