import { relativeTime, utcTime } from "../../format/time.ts";
import { useNow } from "./use-now.ts";

/** The time since a moment. The moment in UTC shows under the pointer. */
export function When({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return (
    <time class="nowrap" dateTime={at} title={utcTime(at)}>
      {relativeTime(at, nowMs)}
    </time>
  );
}
