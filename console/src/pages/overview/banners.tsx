import { daysBefore } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { LastAnswer } from "../parts/last-answer.tsx";
import { useChains } from "../parts/use-chains.ts";
import { useOtherWebhooks, useWebhook } from "../parts/use-webhook.ts";

/**
 * The notices that a business should read first: incomplete data, unsent notifications and
 * reversals.
 */
export function Banners({ syncingWallets }: { syncingWallets: number }) {
  const chains = useChains();
  const stopped = chains.filter((chain) => chain.stopped).map(({ name }) => name);
  const held = chains.filter((chain) => chain.held && !chain.stopped).map(({ name }) => name);
  return (
    <div class="stack-tight banners">
      {stopped.length > 0 && (
        <Banner tone="bad">{fill(text.banner.stopped, { chains: stopped.join(", ") })}</Banner>
      )}
      {held.length > 0 && (
        <Banner tone="warn">{fill(text.banner.held, { chains: held.join(", ") })}</Banner>
      )}
      {syncingWallets > 0 && (
        <Banner tone="plain">
          {fill(text.banner.syncing, { count: syncingWallets })}{" "}
          <a href={addressOf("/wallets")}>{text.wallets.title}</a>
        </Banner>
      )}
      <WebhookBanner />
      <OtherWebhookBanners />
      <ReversedBanner />
    </div>
  );
}

function WebhookBanner() {
  const { answer } = useWebhook();
  if (answer.state !== "ready") return null;
  const webhook = answer.value;
  const link = <a href={addressOf("/webhooks")}>{text.webhooks.title}</a>;
  if (webhook === null)
    return (
      <Banner tone="plain">
        {text.banner.noWebhook} {link}
      </Banner>
    );
  if (!webhook.is_active)
    return (
      <Banner tone="bad">
        {text.banner.inactive} {link}
      </Banner>
    );
  if (webhook.circuit === "open")
    return (
      <Banner tone="warn">
        {text.banner.circuit} <LastAnswer webhookId={webhook.id} /> {link}
      </Banner>
    );
  return null;
}

/** The same of the webhooks that stand beside the first one. */
function OtherWebhookBanners() {
  const { answer } = useOtherWebhooks();
  if (answer.state !== "ready") return null;
  const troubled = answer.value.filter((one) => !one.is_active || one.circuit === "open");
  return (
    <>
      {troubled.map(({ id, url, is_active: isActive }) => (
        <Banner key={id} tone={isActive ? "warn" : "bad"}>
          {fill(isActive ? text.banner.otherCircuit : text.banner.otherInactive, { url })}{" "}
          <a href={addressOf("/webhooks")}>{text.webhooks.title}</a>
        </Banner>
      ))}
    </>
  );
}

function ReversedBanner() {
  const { answer } = useAnswer("reversed", ["transactions"], (as) =>
    answered(
      api.GET("/transactions", {
        params: {
          // By the day, so that each repetition has the address of the one before.
          query: { status: "reversed", from: daysBefore(Date.now(), 7).slice(0, 10), limit: 1 },
        },
        ...as,
      }),
    ),
  );
  if (answer.state !== "ready" || answer.value.data.length === 0) return null;
  return (
    <Banner tone="warn">
      {text.banner.reversed}{" "}
      <a href={addressOf("/transactions", { status: "reversed" })}>{text.banner.show}</a>
    </Banner>
  );
}
