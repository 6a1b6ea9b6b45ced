import { useEffect, useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { watchLive } from "../wire/live.ts";

/** Says whether changes appear by themselves. */
export function LiveMark() {
  const [isLive, setLive] = useState(false);
  useEffect(() => watchLive(setLive), []);
  return (
    <span
      class={`live ${isLive ? "live-on" : ""}`}
      title={isLive ? text.frame.liveMore : text.frame.notLiveMore}
    >
      {isLive ? text.frame.live : text.frame.notLive}
    </span>
  );
}
