import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { ImportDialog } from "../parts/import/import-dialog.tsx";
import { BusinessBadge } from "./business-badge.tsx";
import { BusinessTabs } from "./business-tabs.tsx";

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
            <ChangeButton needs={{ operator: "businesses" }} isBusy={isBusy} onClick={run}>
              {of.suspended_at === null ? text.businesses.verify : text.businesses.resume}
            </ChangeButton>
          )}
          {of.suspended_at === null && (
            <ChangeButton needs={{ operator: "businesses" }} onClick={() => setAsked("suspend")}>
              {text.businesses.suspend}
            </ChangeButton>
          )}
          <ChangeButton needs={{ operator: "wallets" }} onClick={() => setAsked("import")}>
            {text.import.open}
          </ChangeButton>
        </span>
      </div>
      <BusinessTabs of={of} />
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
