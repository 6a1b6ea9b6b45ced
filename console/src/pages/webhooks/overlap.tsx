import { countdown } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import { useAction } from "../../ui/act/use-action.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import { useNow } from "../../ui/show/use-now.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";

type Shown = { of: Schema<"Webhook">; again: () => void };

/** The time for which two secrets stay valid, and the way to end it now. */
export function Overlap({ of, again }: Shown) {
  const nowMs = useNow(1_000);
  const { isBusy, run } = useAction(async () => {
    await answered(
      api.POST("/webhooks/{id}/rotate-secret/finish", { params: { path: { id: of.id } } }),
    );
    again();
  });
  if (of.overlap_ends_at === null || Date.parse(of.overlap_ends_at) <= nowMs) return null;
  return (
    <Banner tone="accent">
      <span>
        {text.webhooks.overlap}{" "}
        <strong class="amount" role="timer">
          {countdown(of.overlap_ends_at, nowMs)}
        </strong>
      </span>
      <span class="push">
        <ChangeButton needs={{ business: "webhooks" }} isBusy={isBusy} onClick={run}>
          {text.webhooks.finish}
        </ChangeButton>
      </span>
    </Banner>
  );
}
