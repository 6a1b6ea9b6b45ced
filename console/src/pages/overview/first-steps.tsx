import { useState } from "preact/hooks";
import { store, stored } from "../../browser/stored.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { readSessions } from "../parts/read-sessions.ts";
import { useWebhooks } from "../parts/use-webhooks.ts";
import { type FirstStep, firstSteps, stepsDone } from "./steps-done.ts";

const key = "chainbell-first-steps";

const pages: Readonly<Record<FirstStep, string>> = {
  wallet: "/wallets",
  webhook: "/webhooks",
  delivered: "/deliveries",
  people: "/signed-in",
  limited: "/keys",
};

/** The first steps of a business, until all are done or this browser has put the list away. */
export function FirstSteps() {
  const [isAway, setAway] = useState(() => stored(key) !== null);
  if (isAway) return null;
  const putAway = () => {
    store(key, "away");
    setAway(true);
  };
  return <Steps putAway={putAway} />;
}

function Steps({ putAway }: { putAway: () => void }) {
  const { answer: webhooks } = useWebhooks();
  const { answer } = useAnswer("first steps", ["wallets", "keys", "audit"], async (as) => {
    const [wallets, keys, sessions] = await Promise.all([
      answered(api.GET("/wallets", { params: { query: { limit: 1 } }, ...as })),
      answered(api.GET("/api-keys", as)),
      readSessions(as),
    ]);
    const people = sessions.map(({ name }) => name);
    return { wallets: wallets.data.length, keys: keys.data, people };
  });
  if (answer.state !== "ready" || webhooks.state !== "ready") return null;
  const done = stepsDone({ ...answer.value, webhooks: webhooks.value });
  if (done.size === firstSteps.length) return null;
  const words = text.firstSteps;
  const counts = { done: done.size, count: firstSteps.length };
  return (
    <Card title={words.title} aside={<span class="muted">{fill(words.progress, counts)}</span>}>
      <ul class="stack-tight steps-list">
        {firstSteps.map((step) => (
          <li key={step} class="row">
            <Badge tone={done.has(step) ? "good" : "plain"}>
              {done.has(step) ? words.done : words.open}
            </Badge>
            <a href={addressOf(pages[step])}>{words.step[step]}</a>
          </li>
        ))}
      </ul>
      <Button onClick={putAway}>{words.putAway}</Button>
    </Card>
  );
}
