import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { SecretDialog } from "../parts/keys/secret-dialog.tsx";
import { useWebhook } from "../parts/use-webhook.ts";
import { EventCatalogue } from "./event-catalogue.tsx";
import { RegisterDialog } from "./register-dialog.tsx";
import { Snippets } from "./snippets.tsx";
import { WebhookCard } from "./webhook-card.tsx";

/** The webhook of a business, receivers that verify its notifications, and the events. */
export function WebhooksPage() {
  const { answer, again } = useWebhook();
  const [isRegistering, setRegistering] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const webhook = answer.state === "ready" ? answer.value : null;
  return (
    <Page
      title={text.webhooks.title}
      actions={
        <ChangeButton
          look={answer.state === "ready" && webhook === null ? "main" : "normal"}
          onClick={() => setRegistering(true)}
        >
          {webhook === null ? text.webhooks.register : text.webhooks.replace}
        </ChangeButton>
      }
    >
      <Answered answer={answer} again={again}>
        {(value) =>
          value === null ? (
            <Card isFull={true}>
              <Empty icon="webhooks" title={text.webhooks.none} command={text.webhooks.noneCommand}>
                {text.webhooks.noneMore}
              </Empty>
            </Card>
          ) : (
            <WebhookCard of={value} again={again} onSecret={setSecret} />
          )
        }
      </Answered>
      <Snippets />
      <EventCatalogue />
      {isRegistering && (
        <RegisterDialog
          present={webhook?.url ?? null}
          onDone={(given) => {
            setSecret(given);
            again();
          }}
          onClose={() => setRegistering(false)}
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
