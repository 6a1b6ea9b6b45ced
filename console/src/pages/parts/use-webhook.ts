import { fill, text } from "../../text/text.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { asFault } from "../../wire/fault.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";

type Used<Value> = { answer: Answer<Value>; again: () => void };

/** The webhooks that stand beside the first one, as they were added. */
export function useOtherWebhooks(): Used<Schema<"WebhookInOrder">[]> {
  return useAnswer("other webhooks", ["webhook", "deliveries"], async (as) => {
    const { data } = await answered(api.GET("/webhooks/all", as));
    return data.filter(({ additional }) => additional);
  });
}

/**
 * A text about notifications that are counted at the first webhook, or at any. Says which if there
 * are several.
 */
export function useCountedAt(): (which: "first" | "any", what: string) => string {
  const { answer } = useOtherWebhooks();
  const isAlone = answer.state !== "ready" || answer.value.length === 0;
  return (which, what) => (isAlone ? what : fill(text.overview.countedAt[which], { what }));
}

/** The first webhook of a business; null where none is registered. */
export function useWebhook(): Used<Schema<"WebhookInOrder"> | null> {
  return useAnswer("webhook", ["webhook", "deliveries"], async (as) => {
    try {
      const { data } = await answered(api.GET("/webhooks", as));
      return data;
    } catch (thrown) {
      const fault = asFault(thrown);
      if (fault.status === 404) return null;
      throw fault;
    }
  });
}
