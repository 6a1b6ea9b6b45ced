import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Banner } from "../../ui/frame/banner.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { SecretDialog } from "../parts/keys/secret-dialog.tsx";
import { firstOf, useWebhooks } from "../parts/use-webhooks.ts";
import { EventCatalogue } from "./event-catalogue.tsx";
import { FeedCard } from "./feed-card.tsx";
import { RegisterDialog } from "./register-dialog.tsx";
import { Snippets } from "./snippets.tsx";
import { WebhookCard } from "./webhook-card.tsx";

/** The webhooks of a business, receivers that verify its notifications, and the events. */
export function WebhooksPage() {
  const { answer, again } = useWebhooks();
  const [registering, setRegistering] = useState<"first" | "additional" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const webhook = answer.state === "ready" ? firstOf(answer.value) : null;
  return (
    <Page
      title={text.webhooks.title}
      actions={
        <>
          {webhook !== null && (
            <ChangeButton
              needs={{ business: "webhooks" }}
              onClick={() => setRegistering("additional")}
            >
              {text.webhooks.add}
            </ChangeButton>
          )}
          {/* Before it is known whether there is one, a registration might replace it. */}
          <ChangeButton
            needs={{ business: "webhooks" }}
            look={answer.state === "ready" && webhook === null ? "main" : "normal"}
            isBusy={answer.state !== "ready"}
            onClick={() => setRegistering("first")}
          >
            {webhook === null ? text.webhooks.register : text.webhooks.replace}
          </ChangeButton>
        </>
      }
    >
      <Answered answer={answer} again={again}>
        {(webhooks) => (
          <div class="stack">
            {webhooks.length > 0 && firstOf(webhooks) === null && (
              <Banner tone="plain">{text.banner.noFirst}</Banner>
            )}
            {webhooks.length === 0 && (
              <Card isFull={true}>
                <Empty
                  icon="webhooks"
                  title={text.webhooks.none}
                  command={text.webhooks.noneCommand}
                >
                  {text.webhooks.noneMore}
                </Empty>
              </Card>
            )}
            {webhooks.map((one) => (
              <WebhookCard key={one.id} of={one} again={again} onSecret={setSecret} />
            ))}
          </div>
        )}
      </Answered>
      <FeedCard />
      <Snippets />
      <EventCatalogue />
      {registering !== null && (
        <RegisterDialog
          present={webhook?.url ?? null}
          isAdditional={registering === "additional"}
          onDone={(given) => {
            setSecret(given);
            again();
          }}
          onClose={() => setRegistering(null)}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={text.webhooks.secretTitle}
          what={text.webhooks.secretMore}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  );
}
