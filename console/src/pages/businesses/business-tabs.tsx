import { addressOf, usePlace } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Tabs } from "../../ui/frame/tabs.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Schema } from "../../wire/api.ts";
import { ConsoleLink } from "../parts/console-link.tsx";
import { BusinessKeys } from "./business-keys.tsx";
import {
  BusinessAudit,
  BusinessDeliveries,
  BusinessTransactions,
  BusinessWallets,
} from "./business-lists.tsx";
import { BusinessStatements } from "./business-statements.tsx";
import { BusinessWebhooks } from "./business-webhooks.tsx";

/** The tabs: their names in an address, and their titles. */
const parts = [
  ["details", text.common.details],
  ["wallets", text.wallets.title],
  ["transactions", text.transactions.title],
  ["deliveries", text.deliveries.title],
  ["webhooks", text.webhooks.title],
  ["keys", text.keys.title],
  ["statements", text.statements.title],
  ["audit", text.audit.title],
] as const;

type Name = (typeof parts)[number][0];

/** The tabs of a business. A tab is read when it is opened. */
export function BusinessTabs({ of }: { of: Schema<"Business"> }) {
  const { path, query } = usePlace();
  const [chosen] = parts.find(([name]) => name === query.get("tab")) ?? parts[0];
  const others = Object.fromEntries(query);
  const tabs = parts.map(([name, title]) => ({
    name,
    title,
    address: addressOf(path, { ...others, tab: name === "details" ? null : name }),
  }));
  return (
    <Tabs label={text.businesses.ofIt} tabs={tabs} chosen={chosen}>
      <Content of={of} name={chosen} />
    </Tabs>
  );
}

function Content({ of, name }: { of: Schema<"Business">; name: Name }) {
  const { id } = of;
  switch (name) {
    case "details":
      return <Details of={of} />;
    case "wallets":
      return <BusinessWallets id={id} />;
    case "transactions":
      return <BusinessTransactions id={id} />;
    case "deliveries":
      return <BusinessDeliveries id={id} />;
    case "webhooks":
      return <BusinessWebhooks id={id} />;
    case "keys":
      return <BusinessKeys id={id} />;
    case "statements":
      return <BusinessStatements id={id} />;
    case "audit":
      return <BusinessAudit id={id} />;
  }
}

function Details({ of }: { of: Schema<"Business"> }) {
  return (
    <>
      <Facts
        of={[
          [text.businesses.id, <Hash key="id" value={of.id} what={text.businesses.id} />],
          [text.businesses.notifyPending, of.notify_pending ? text.common.yes : text.common.no],
          [text.businesses.inFlight, String(of.in_flight ?? text.businesses.inFlightDefault)],
          [text.businesses.rate, String(of.rate ?? text.businesses.noRate)],
          [text.businesses.created, <Moment key="created" at={of.created_at} />],
          [
            text.sightings.title,
            <a key="sightings" href={addressOf("/sightings", { business_id: of.id })}>
              {text.businesses.showAll}
            </a>,
          ],
        ]}
      />
      <Section title={text.businesses.console}>
        <ConsoleLink id={of.id} />
      </Section>
    </>
  );
}
