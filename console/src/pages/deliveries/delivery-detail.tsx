import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Code } from "../../ui/show/code.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import { NamedBusiness } from "../parts/business-names.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { DeliveryBadge } from "../parts/delivery-badge.tsx";
import { notifiedNumber } from "../parts/notified-number.ts";
import { Attempts } from "./attempts.tsx";
import { curlOf, headersOf, type Sent, urlOf } from "./sent.ts";
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
  return (
    <div class="stack">
      <div class="row row-wrap">
        {number !== null && <strong>{number}</strong>}
        <DeliveryBadge status={of.status} />
        <span class="push row">
          <ChangeButton scope="businesses" icon="undo" isBusy={isBusy} onClick={run}>
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
              : [text.businesses.one, <NamedBusiness key="business" id={of.business_id} />],
            [text.deliveries.id, <Hash key="id" value={of.id} what={text.deliveries.id} />],
            of.transaction_id === null
              ? null
              : [
                  text.transactions.one,
                  <a key="transaction" href={`/console/transactions/${of.transaction_id}`}>
                    {text.deliveries.toTransaction}
                  </a>,
                ],
            urlOf(of) === null ? null : [text.deliveries.url, urlOf(of)],
            [text.deliveries.created, <Moment key="created" at={of.created_at} />],
            of.delivered_at === null
              ? null
              : [text.deliveries.delivered, <Moment key="delivered" at={of.delivered_at} />],
          ]}
        />
      </Section>
      <Request of={of} />
    </div>
  );
}

function Request({ of }: { of: Sent }) {
  const curl = curlOf(of);
  return (
    <>
      <Section title={text.deliveries.headers}>
        <Code label={text.deliveries.headers}>
          {headersOf(of)
            .map(({ name, value }) => `${name}: ${value}`)
            .join("\n")}
        </Code>
        <p class="small muted">{text.deliveries.signatures}</p>
      </Section>
      <Section title={text.signature.title}>
        <SignatureCheck of={of} />
      </Section>
      <Section title={text.deliveries.body}>
        <Code label={text.deliveries.body}>{JSON.stringify(of.payload, null, 2)}</Code>
      </Section>
      <div class="row small muted">
        {text.deliveries.curl}
        <CopyButton value={curl} what="curl" />
      </div>
    </>
  );
}
