import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { Code } from "../../ui/show/code.tsx";

const request = "GET /notifications/feed?after=CURSOR&wait=30";

/**
 * The programs that read notifications from the feed. The server knows none of them: each keeps its
 * own place.
 */
export function FeedCard() {
  const words = text.webhooks.feed;
  return (
    <Card title={words.title}>
      <div class="stack-tight">
        <p>{words.what}</p>
        <Code label={words.title}>{request}</Code>
        <p class="muted">{words.behind}</p>
        <div>
          <a class="button" href={addressOf("/deliveries")}>
            {text.deliveries.title}
          </a>
        </div>
      </div>
    </Card>
  );
}
