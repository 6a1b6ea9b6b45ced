import { fill, text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { resultText } from "./attempt-badge.tsx";

// Behind a webhook that keeps failing, the newest may not have been tried yet.
const looked = 20;

type Attempt = Schema<"LastAttempt">;

/** The statuses of failed notifications. */
const statuses = ["waiting", "exhausted"] as const;

/** The last answer of a failing webhook, as far as that is known. */
export function LastAnswer({ webhookId }: { webhookId: string }) {
  const { answer } = useAnswer(webhookId, ["deliveries"], async (as) => {
    const pages = await Promise.all(
      statuses.map((status) => {
        const query = { webhook_id: webhookId, status, limit: looked };
        return answered(api.GET("/notifications", { params: { query }, ...as }));
      }),
    );
    const attempts = pages.flatMap(({ data }) => data.flatMap((row) => row.last_attempt ?? []));
    return attempts.reduce<Attempt | null>(
      (newest, one) => (newest === null || one.at > newest.at ? one : newest),
      null,
    );
  });
  const last = answer.state === "ready" ? answer.value : null;
  if (last === null) return null;
  const words = [resultText(last), last.response ?? ""].filter((one) => one !== "").join(" ");
  // The sentence around it has a full stop of its own.
  return <Foreign text={fill(text.banner.lastAnswer, { answer: words.replace(/\.$/, "") })} />;
}
