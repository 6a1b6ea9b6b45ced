import { countText, isZero } from "../../format/amount.ts";
import { daysBefore } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Figure } from "../../ui/data/figure.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import type { Schema } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { readNotificationCounts } from "../parts/notification-counts.ts";
import { useHasSeveral } from "../parts/use-webhooks.ts";

type Balance = { net_worth: string; holdings: Schema<"Holding">[]; unpriced_assets: string[] };

/** The few numbers that sum a business up. */
export function Figures({ balance: held }: { balance: Answer<Balance> }) {
  const { answer } = useAnswer("day", ["deliveries"], (as) => {
    // To the minute, so that repetitions have the address of those before for as long.
    const end = Math.ceil(Date.now() / 60_000) * 60_000;
    const range = {
      from: daysBefore(end, 1),
      to: new Date(end).toISOString(),
      bucket: "hour" as const,
    };
    return readNotificationCounts(range, as);
  });
  const hasSeveral = useHasSeveral();
  const at = (which: "every" | "any", what: string) =>
    hasSeveral ? fill(text.overview.countedAt[which], { what }) : what;
  const balance = held.state === "ready" ? held.value : null;
  const counts = answer.state === "ready" ? answer.value : null;
  const pending = balance?.holdings.filter((holding) => !isZero(holding.pending)).length ?? 0;
  const unpriced = balance?.unpriced_assets.length ?? 0;
  return (
    <div class="grid-figures">
      <Figure
        name={text.overview.netWorth}
        isLarge={true}
        more={unpriced === 0 ? "USD" : fill(text.overview.without, { count: unpriced })}
      >
        {balance === null ? missing(held) : <Amount amount={balance.net_worth} />}
      </Figure>
      <Figure name={text.overview.pendingAssets} more={text.overview.pendingMore}>
        {balance === null ? missing(held) : pending}
      </Figure>
      <Figure name={text.overview.heard} more={at("every", text.overview.inDay)}>
        {counts === null ? missing(answer) : countText(counts.total.delivered)}
      </Figure>
      <Figure name={text.overview.notHeard} more={at("any", text.overview.notHeardMore)}>
        {counts === null ? (
          missing(answer)
        ) : (
          <a href={undeliveredSince(daysBefore(Date.now(), 1))}>{countText(counts.undelivered)}</a>
        )}
      </Figure>
    </div>
  );
}

/** The list of what any webhook has not got, written since a moment. */
function undeliveredSince(at: string): string {
  const filters = { webhook_id: "any", status: "undelivered", from: at.slice(0, 16) };
  return addressOf("/deliveries", filters);
}

/** Stands for a number that is still to come, or that could not be read. */
function missing({ state }: Answer<unknown>): string {
  return state === "failed" ? "–" : "…";
}
