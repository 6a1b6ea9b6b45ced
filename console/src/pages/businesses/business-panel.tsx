import { useState } from "preact/hooks";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { ConsoleLink } from "../parts/console-link.tsx";
import { ImportDialog } from "../parts/import/import-dialog.tsx";
import { BusinessBadge } from "./business-badge.tsx";
import { BusinessKeys } from "./business-keys.tsx";
import { BusinessStatements } from "./business-statements.tsx";
import { BusinessWebhooks } from "./business-webhooks.tsx";

type Chosen = { id: string; back: string; onChanged: () => void };

/** One business, and an operator's actions on it. `onChanged`: its row in the list is behind. */
export function BusinessPanel({ id, back, onChanged }: Chosen) {
  const { answer, again } = useAnswer(id, ["businesses"], (as) =>
    answered(api.GET("/admin/businesses/{id}", { params: { path: { id } }, ...as })),
  );
  const name = answer.state === "ready" ? answer.value.data.name : text.businesses.one;
  const changed = () => {
    again();
    onChanged();
  };
  return (
    <Panel title={<Foreign text={name} />} shownId={id} back={back}>
      <Answered answer={answer} again={again}>
        {({ data }) => <BusinessDetail of={data} again={changed} />}
      </Answered>
    </Panel>
  );
}

const lists = [
  ["/transactions", text.transactions.title],
  ["/wallets", text.wallets.title],
  ["/sightings", text.sightings.title],
  ["/deliveries", text.deliveries.title],
] as const;

type Shown = { of: Schema<"Business">; again: () => void };

function BusinessDetail({ of, again }: Shown) {
  const [asked, setAsked] = useState<"suspend" | "import" | null>(null);
  const params = { params: { path: { id: of.id } } };
  const { isBusy, run } = useAction(async () => {
    await (of.suspended_at === null
      ? answered(api.POST("/admin/businesses/{id}/verify", params))
      : answered(api.POST("/admin/businesses/{id}/resume", params)));
    again();
  });
  return (
    <div class="stack">
      <div class="row row-wrap">
        <BusinessBadge of={of} />
        <span class="push row row-wrap">
          {(of.verified_at === null || of.suspended_at !== null) && (
            <ChangeButton scope="businesses" isBusy={isBusy} onClick={run}>
              {of.suspended_at === null ? text.businesses.verify : text.businesses.resume}
            </ChangeButton>
          )}
          {of.suspended_at === null && (
            <ChangeButton scope="businesses" onClick={() => setAsked("suspend")}>
              {text.businesses.suspend}
            </ChangeButton>
          )}
          <ChangeButton scope="wallets" onClick={() => setAsked("import")}>
            {text.import.open}
          </ChangeButton>
        </span>
      </div>
      <Facts
        of={[
          [text.businesses.id, <Hash key="id" value={of.id} what={text.businesses.id} />],
          [text.businesses.notifyPending, of.notify_pending ? text.common.yes : text.common.no],
          [text.businesses.inFlight, String(of.in_flight ?? text.businesses.inFlightDefault)],
          [text.businesses.rate, String(of.rate ?? text.businesses.noRate)],
          [text.businesses.created, <Moment key="created" at={of.created_at} />],
        ]}
      />
      <nav class="row row-wrap" aria-label={text.businesses.ofIt}>
        {lists.map(([path, title]) => (
          <a key={path} class="button" href={addressOf(path, { business_id: of.id })}>
            {title}
          </a>
        ))}
        <a class="button" href={addressOf("/audit", { subject: of.id })}>
          {text.audit.title}
        </a>
      </nav>
      <Section title={text.businesses.console}>
        <ConsoleLink id={of.id} />
      </Section>
      <BusinessWebhooks id={of.id} />
      <BusinessKeys id={of.id} />
      <BusinessStatements id={of.id} />
      {asked === "suspend" && (
        <Confirm
          title={text.businesses.suspend}
          action={text.businesses.suspend}
          isDangerous={true}
          typed={of.name}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await answered(api.POST("/admin/businesses/{id}/suspend", params));
            again();
          }}
        >
          <p>{text.businesses.suspendMore}</p>
        </Confirm>
      )}
      {asked === "import" && (
        <ImportDialog
          send={async (wallets) => {
            await answered(
              api.POST("/admin/businesses/{id}/wallets", {
                ...params,
                body: { wallets: [...wallets] },
              }),
            );
          }}
          onDone={again}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}
