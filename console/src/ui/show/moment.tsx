import { otherTimeText, relativeTime, timeText } from "../../format/time.ts";
import { useNow } from "./use-now.ts";

/** A moment by the chosen clock, and how long ago that was. */
export function Moment({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return (
    <time dateTime={at} title={otherTimeText(at)}>
      {timeText(at)} <span class="faint">({relativeTime(at, nowMs)})</span>
    </time>
  );
}
