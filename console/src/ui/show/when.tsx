import { relativeTime, utcTime } from "../../format/time.ts";
import { useNow } from "./use-now.ts";

/** How long ago something was, with the moment in UTC for whoever points at it. */
export function When({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return (
    <time class="nowrap" dateTime={at} title={utcTime(at)}>
      {relativeTime(at, nowMs)}
    </time>
  );
}
