import { useEffect, useState } from "preact/hooks";
import { timeText } from "../format/time.ts";
import { fill, text } from "../text/text.ts";
import { Banner } from "../ui/frame/banner.tsx";
import { watchLive } from "../wire/live.ts";

// A connection that comes back within this time in ms is not worth a banner.
const patienceMs = 5_000;

/**
 * Says since when changes have not arrived by themselves: a page is as old as that at most. Beside
 * it no state is green.
 */
export function NotLive() {
  const [since, setSince] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchLive((isLive, sinceMs) => {
      clearTimeout(timer);
      if (isLive) setSince(null);
      if (isLive || document.hidden) return;
      const at = new Date(sinceMs).toISOString();
      timer = setTimeout(() => setSince(at), patienceMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return (
    <div class="at-times not-live" role="status">
      {since !== null && (
        <Banner tone="bad">{fill(text.frame.notLiveSince, { time: timeText(since) })}</Banner>
      )}
    </div>
  );
}
