import { answered, api, type Schema } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";

export type OwnWebhook = Schema<"WebhookInOrder">;

/** The webhooks of a business: the first one first, where there is one, then the others. */
export function useWebhooks(): { answer: Answer<readonly OwnWebhook[]>; again: () => void } {
  return useAnswer("webhooks", ["webhook", "deliveries"], async (as) => {
    return (await answered(api.GET("/webhooks/all", as))).data;
  });
}

/** True if the business has several webhooks. False while that is not known. */
export function useHasSeveral(): boolean {
  const { answer } = useWebhooks();
  return answer.state === "ready" && answer.value.length > 1;
}

/** The first webhook; null where none is registered, though others may stand beside it. */
export function firstOf(webhooks: readonly OwnWebhook[]): OwnWebhook | null {
  return webhooks.find(({ additional }) => !additional) ?? null;
}
