import { useState } from "preact/hooks";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Card } from "../../ui/frame/card.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { Overlap } from "./overlap.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookTest } from "./webhook-test.tsx";

type Shown = {
  of: Schema<"WebhookInOrder">;
  again: () => void;
  onSecret: (secret: string) => void;
};

/** The webhook: its facts, and the actions on it. */
export function WebhookCard({ of, again, onSecret }: Shown) {
  const [asked, setAsked] = useState<"settings" | "rotate" | "pause" | "delete" | null>(null);
  const path = { id: of.id };
  const become = async (isActive: boolean) => {
    await answered(
      api.PATCH("/webhooks/{id}", { params: { path }, body: { is_active: isActive } }),
    );
    showToast("good", isActive ? text.webhooks.activated : text.webhooks.paused);
    again();
  };
  const activation = useAction(() => become(true));
  return (
    <Card>
      <div class="stack">
        <WebhookFacts of={of} />
        <Overlap of={of} again={again} />
        <WebhookTest id={of.id} />
        <div class="row row-wrap">
          <ChangeButton
            needs={{ business: "webhooks" }}
            isBusy={activation.isBusy}
            onClick={of.is_active ? () => setAsked("pause") : activation.run}
          >
            {of.is_active ? text.webhooks.pause : text.webhooks.activate}
          </ChangeButton>
          <ChangeButton needs={{ business: "webhooks" }} onClick={() => setAsked("settings")}>
            {text.webhooks.settings}
          </ChangeButton>
          <ChangeButton needs={{ business: "webhooks" }} onClick={() => setAsked("rotate")}>
            {text.webhooks.rotate}
          </ChangeButton>
          <ChangeButton needs={{ business: "webhooks" }} onClick={() => setAsked("delete")}>
            {text.webhooks.delete}
          </ChangeButton>
          <a class="button" href={addressOf("/deliveries", { webhook_id: of.id })}>
            {text.attention.show.deliveries}
          </a>
        </div>
      </div>
      {asked === "settings" && (
        <SettingsDialog of={of} onDone={again} onClose={() => setAsked(null)} />
      )}
      {asked === "rotate" && (
        <RotateDialog
          id={of.id}
          onDone={(secret) => {
            onSecret(secret);
            again();
          }}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === "pause" && (
        <Confirm
          title={text.webhooks.pause}
          action={text.webhooks.pause}
          onClose={() => setAsked(null)}
          onConfirm={() => become(false)}
        >
          <p>{text.webhooks.pauseMore}</p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={text.webhooks.delete}
          action={text.webhooks.delete}
          isDangerous={true}
          typed={new URL(of.url).host}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await answered(api.DELETE("/webhooks/{id}", { params: { path } }));
            again();
          }}
        >
          <p>{of.additional ? text.webhooks.deleteOther : text.webhooks.deleteMore}</p>
        </Confirm>
      )}
    </Card>
  );
}
