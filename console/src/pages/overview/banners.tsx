import { daysBefore } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { LastAnswer } from "../parts/last-answer.tsx";
import { useChains } from "../parts/use-chains.ts";
import { firstOf, type OwnWebhook, useWebhooks } from "../parts/use-webhooks.ts";

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
      <WebhookBanners />
      <ReversedBanner />
    </div>
  );
}

function WebhookBanners() {
  const { answer } = useWebhooks();
  if (answer.state !== "ready") return null;
  const webhooks = answer.value;
  const link = <a href={addressOf("/webhooks")}>{text.webhooks.title}</a>;
  const none = webhooks.length === 0 ? text.banner.noWebhook : text.banner.noFirst;
  return (
    <>
      {firstOf(webhooks) === null && (
        <Banner tone="plain">
          {none} {link}
        </Banner>
      )}
      {webhooks.map((one) => {
        const said = troubleOf(one, webhooks.length === 1);
        return (
          said !== null && (
            <Banner key={one.id} tone={one.is_active ? "warn" : "bad"}>
              {said} {one.is_active && <LastAnswer webhookId={one.id} />} {link}
            </Banner>
          )
        );
      })}
    </>
  );
}

/** The trouble of a webhook; null: none. It is named where it is not the only one. */
function troubleOf(of: OwnWebhook, isAlone: boolean): string | null {
  const { inactive, circuit, oneInactive, oneCircuit } = text.banner;
  const [alone, named] = of.is_active ? [circuit, oneCircuit] : [inactive, oneInactive];
  if (of.is_active && of.circuit !== "open") return null;
  return isAlone ? alone : fill(named, { url: of.url });
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
