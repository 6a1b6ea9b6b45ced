import { fill, text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { resultText } from "./attempt-badge.tsx";

// Behind a webhook that keeps failing, the newest may not have been tried yet.
const looked = 20;
const longest = 200;

/** The last answer of a failing webhook, as far as that is known. */
export function LastAnswer({ webhookId }: { webhookId: string }) {
  const { answer } = useAnswer(webhookId, ["deliveries"], async (as) => {
    const query = { webhook_id: webhookId, status: "waiting" as const, limit: looked };
    const { data } = await answered(api.GET("/notifications", { params: { query }, ...as }));
    const tried = data.find(({ attempt_count: count }) => count > 0);
    if (tried === undefined) return null;
    const path = { id: tried.id };
    const one = await answered(api.GET("/notifications/{id}", { params: { path }, ...as }));
    return one.data.attempts.at(-1) ?? null;
  });
  const last = answer.state === "ready" ? answer.value : null;
  if (last === null) return null;
  const said = [resultText(last), (last.response ?? "").slice(0, longest)];
  const words = said.filter((one) => one !== "").join(" ");
  return <Foreign text={fill(text.banner.lastAnswer, { answer: words })} />;
}
