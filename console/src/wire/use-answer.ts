import { useEffect, useRef, useState } from "preact/hooks";
import { asFault, type WireFault } from "./fault.ts";
import { onChange, type Topic } from "./live.ts";

/** How something is asked: what the page asks by itself does not keep an idle session open. */
export type Asking = { headers: Record<string, string> };

/** What was asked for, and how far it is. `isStale`: it answers the question before, while the present one is asked. */
export type Answer<T> =
  | { state: "loading" }
  | { state: "ready"; value: T; isStale: boolean }
  | { state: "failed"; fault: WireFault };

/**
 * Asks when it is first shown, when `key` changes, when one of `topics` has changed, and when `again` is called. An answer
 * that comes after the question has changed is left out, and a failure of a repetition keeps what is shown.
 */
export function useAnswer<T>(
  key: string,
  topics: readonly Topic[],
  ask: (as: Asking) => Promise<T>,
): { answer: Answer<T>; again: () => void } {
  const [answer, setAnswer] = useState<Answer<T>>({ state: "loading" });
  const latestAsk = useRef(ask);
  latestAsk.current = ask;
  const askAgain = useRef<() => void>(() => undefined);
  const watched = topics.join();

  // `watched` stands for the topics, `key` for the question.
  useEffect(() => {
    let isCurrent = true;
    let isUnderWay = false;
    let isWanted = false;
    const read = async (isRepetition: boolean): Promise<void> => {
      if (isUnderWay) {
        isWanted = true;
        return;
      }
      isUnderWay = true;
      try {
        const value = await latestAsk.current({
          headers: isRepetition ? { "x-console-background": "1" } : {},
        });
        if (isCurrent) setAnswer({ state: "ready", value, isStale: false });
      } catch (thrown) {
        const fault = asFault(thrown);
        if (isCurrent)
          setAnswer((before) =>
            isRepetition && before.state === "ready" ? before : { state: "failed", fault },
          );
      }
      isUnderWay = false;
      if (!isWanted || !isCurrent) return;
      isWanted = false;
      await read(true);
    };
    setAnswer((before) => (before.state === "ready" ? { ...before, isStale: true } : before));
    askAgain.current = () => void read(true);
    void read(false);
    const stop = onChange(topics, () => void read(true));
    return () => {
      isCurrent = false;
      stop();
    };
  }, [key, watched]);

  return { answer, again: () => askAgain.current() };
}
