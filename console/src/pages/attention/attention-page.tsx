import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Banner } from "../../ui/frame/banner.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Command } from "../../ui/frame/command.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { Worded } from "../../ui/show/english.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { WebhookToggle } from "../parts/webhook-toggle.tsx";
import { type Need, needsOf, verdictOf } from "./needs.ts";

/**
 * The matters that need an operator, the worst first, each with its next step. The installation's
 * setup is read again once a minute, and not after each event. Where it cannot be read, the alerts
 * stand alone.
 */
export function AttentionPage() {
  const topics = ["chains", "discrepancies", "outbox", "webhook", "audit", "health"] as const;
  const alerts = useAnswer("alerts", topics, async (as) => {
    return (await answered(api.GET("/admin/alerts", as))).data;
  });
  const installed = useAnswer("health", ["health"], async (as) => {
    return (await answered(api.GET("/admin/health", as))).data;
  });
  return (
    <Page title={text.attention.title}>
      <Answered {...alerts}>
        {(found) => (
          <>
            {installed.answer.state === "failed" && found.alerts.length > 0 && (
              <Needs of={needsOf(found, null)} again={alerts.again} />
            )}
            <Answered {...installed}>
              {(of) => <Needs of={needsOf(found, of)} again={alerts.again} />}
            </Answered>
          </>
        )}
      </Answered>
    </Page>
  );
}

function Needs({ of, again }: { of: readonly Need[]; again: () => void }) {
  const { tone, said } = verdictOf(of);
  const [worst] = of;
  if (worst === undefined)
    return (
      <Card>
        <Empty icon="done" title={said}>
          {text.attention.wellMore}
        </Empty>
      </Card>
    );
  return (
    <div class="stack">
      <Banner tone={tone}>
        {said} {worst.since !== null && <When at={worst.since} />}
      </Banner>
      <TableCard
        title={text.attention.list}
        columns={columnsOf(again)}
        rows={of}
        idOf={({ id }) => id}
      />
    </div>
  );
}

function columnsOf(again: () => void): readonly Column<Need>[] {
  const words = text.attention;
  return [
    {
      name: "what",
      head: words.what,
      cell: ({ severity, said, more, ...need }) => (
        <>
          <Badge tone={severity === "critical" ? "bad" : "warn"}>{words.severity[severity]}</Badge>{" "}
          <span class="break">{said}</span>
          {more !== null && (
            <span class="second break">
              <Worded of={more} />
            </span>
          )}
          <span class="second until-middle">
            <ThingLink of={need.thing} /> {need.since !== null && <When at={need.since} />}
          </span>
        </>
      ),
    },
    {
      name: "thing",
      head: words.thing,
      from: "middle",
      cell: ({ thing }) => <ThingLink of={thing} />,
    },
    {
      name: "since",
      head: words.since,
      from: "middle",
      cell: ({ since }) => (since === null ? "–" : <When at={since} />),
    },
    {
      name: "step",
      head: words.step,
      isEnd: true,
      cell: ({ step }) => <Step of={step} again={again} />,
    },
  ];
}

/**
 * The name of a thing as a link. A part of another thing shows its name, and below it that thing's
 * link.
 */
function ThingLink({ of: { name, at, of } }: { of: Need["thing"] }) {
  if (of !== undefined)
    return (
      <>
        <span class="break name">
          <Foreign text={name} />
        </span>
        <a class="second" href={addressOf(of.at.path, of.at.filters)}>
          <Foreign text={of.name} />
        </a>
      </>
    );
  return (
    <a class="break name" href={addressOf(at.path, at.filters)}>
      <Foreign text={name} />
    </a>
  );
}

function Step({ of, again }: { of: Need["step"]; again: () => void }) {
  switch (of.does) {
    case "show":
      return <a href={addressOf(of.at.path, of.at.filters)}>{text.attention.show[of.page]}</a>;
    case "activate":
      return <WebhookToggle id={of.webhookId} isActive={false} again={again} />;
    case "run":
      return <Command line={of.line} />;
  }
}
