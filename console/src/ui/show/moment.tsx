import { relativeTime, utcTime } from "../../format/time.ts";
import { useNow } from "./use-now.ts";

/** A moment in UTC, and how long ago that was. */
export function Moment({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return (
    <time dateTime={at}>
      {utcTime(at)} <span class="faint">({relativeTime(at, nowMs)})</span>
    </time>
  );
}
