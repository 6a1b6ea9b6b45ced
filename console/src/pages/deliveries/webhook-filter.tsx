import { shortId } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChosenFilter, type Filtering } from "../parts/filters/filter-bar.tsx";
import { anyWebhook } from "./sent.ts";

/** The choice of one webhook, where a business has several. The first one needs no choice. */
export function WebhookFilter({ of }: { of: Filtering<"webhook_id"> }) {
  const { answer } = useAnswer("webhooks", ["webhook"], (as) =>
    answered(api.GET("/webhooks/all", as)),
  );
  return <Choice of={of} webhooks={answer.state === "ready" ? answer.value.data : []} />;
}

/** The same for an operator: of the chosen business, or else the webhook that a link has named. */
export function OwnedWebhookFilter({ of }: { of: Filtering<"webhook_id" | "business_id"> }) {
  const id = of.filters.business_id;
  const { answer } = useAnswer(`webhooks ${id}`, ["webhook"], async (as) => {
    if (id === undefined) return [];
    const params = { query: { business_id: id } };
    return (await answered(api.GET("/admin/webhooks", { params, ...as }))).data;
  });
  const isKnown = answer.state === "ready" && !answer.isStale;
  return <Choice of={of} webhooks={isKnown ? answer.value : []} />;
}

type Named = Pick<Schema<"WebhookHealth">, "id" | "url" | "additional">;

type Shown = { of: Filtering<"webhook_id">; webhooks: readonly Named[] };

function Choice({ of, webhooks }: Shown) {
  const chosen = of.filters.webhook_id;
  const others = webhooks.filter(({ id, additional }) => additional || id === chosen);
  if (others.length === 0 && chosen === undefined) return null;
  const options: Record<string, string> = {
    [anyWebhook]: text.webhooks.worst,
    ...Object.fromEntries(others.map(({ id, url }) => [id, url])),
  };
  if (chosen !== undefined) options[chosen] ??= `…${shortId(chosen)}`;
  const { one: label, first: any } = text.webhooks;
  return <ChosenFilter {...{ of, name: "webhook_id", label, any, options }} />;
}
