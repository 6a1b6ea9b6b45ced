import { answered, api, type Schema } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";

export type OwnWebhook = Schema<"WebhookInOrder">;

/** The webhooks of a business: the first one first, where there is one, then the others. */
export function useWebhooks(): { answer: Answer<readonly OwnWebhook[]>; again: () => void } {
  return useAnswer("webhooks", ["webhook", "deliveries"], async (as) => {
    return (await answered(api.GET("/webhooks/all", as))).data;
  });
}

/**
 * True if a business has several webhooks: the own one, or for an operator the one with the id.
 * False while that is not known.
 */
export function useHasSeveral(businessId?: string): boolean {
  const { answer } = useAnswer(`several ${businessId}`, ["webhook"], async (as) => {
    if (businessId === undefined) return (await answered(api.GET("/webhooks/all", as))).data.length;
    const params = { query: { business_id: businessId } };
    return (await answered(api.GET("/admin/webhooks", { params, ...as }))).data.length;
  });
  return answer.state === "ready" && answer.value > 1;
}

/** The first webhook; null where none is registered, though others may stand beside it. */
export function firstOf(webhooks: readonly OwnWebhook[]): OwnWebhook | null {
  return webhooks.find(({ additional }) => !additional) ?? null;
}
