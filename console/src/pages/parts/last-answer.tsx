import { fill, text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { resultText } from "./attempt-badge.tsx";

// Behind a webhook that keeps failing, the newest may not have been tried yet.
const looked = 20;

/** The last answer of a failing webhook, as far as that is known. */
export function LastAnswer({ webhookId }: { webhookId: string }) {
  const { answer } = useAnswer(webhookId, ["deliveries"], async (as) => {
    const query = { webhook_id: webhookId, status: "waiting" as const, limit: looked };
    const { data } = await answered(api.GET("/notifications", { params: { query }, ...as }));
    return data.find(({ last_attempt: last }) => last !== null)?.last_attempt ?? null;
  });
  const last = answer.state === "ready" ? answer.value : null;
  if (last === null) return null;
  const words = [resultText(last), last.response ?? ""].filter((one) => one !== "").join(" ");
  return <Foreign text={fill(text.banner.lastAnswer, { answer: words })} />;
}
