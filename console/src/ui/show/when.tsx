import { otherTimeText, relativeTime, timeText } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import { useNow } from "./use-now.ts";

/**
 * The time since a moment. The moment shows under the pointer, by both clocks, and on paper by the
 * chosen one.
 */
export function When({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return (
    <time
      class="nowrap when"
      dateTime={at}
      title={`${timeText(at)} · ${otherTimeText(at)}`}
      data-exact={timeText(at)}
    >
      {relativeTime(at, nowMs)}
    </time>
  );
}

/** The time until something that is to come. Once its time has come, it is due. */
export function DueAt({ at }: { at: string }) {
  const nowMs = useNow(15_000);
  return Date.parse(at) <= nowMs ? <span>{text.common.dueNow}</span> : <When at={at} />;
}
