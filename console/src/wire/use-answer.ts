import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { asFault, type WireFault } from "./fault.ts";
import { keepHeaders, keptHeaders } from "./kept-answers.ts";
import { onChange, type Topic, untilHeard } from "./live.ts";
import { aloneHeaders, isSignedIn } from "./session.ts";

/**
 * The headers of a request. Requests that the page makes by itself do not keep an idle session
 * open.
 */
export type Asking = { headers: Record<string, string> };

/**
 * The answer to a question, and its state. `isStale`: the present answer is under way. The value is
 * the one to the previous question, or what this one had when it was asked before. `fault`: why the
 * last repetition failed; null: it did not.
 */
export type Answer<T> =
  | { state: "loading" }
  | { state: "ready"; value: T; isStale: boolean; fault: WireFault | null }
  | { state: "failed"; fault: WireFault };

/**
 * Shows what is kept of an earlier answer. Asks when the component is first shown and the stream of
 * changes has begun. Asks again when `key` changes, when one of `topics` changes, and when `again`
 * is called. Asks nothing while no session is open, and again once one is. An answer to an earlier
 * question is dropped. A failed repetition keeps the value that is shown. A costly question gives
 * `pauseMs`: no change asks it again sooner than so many ms after it was asked. Only after a pause
 * of a minute, in which nothing was heard, it is asked again at once.
 * @param topics null: nothing asks this key again, neither a change nor a session. A POST has to be
 *   asked so, since it keeps the session open and counts as a change, whoever asks.
 */
export function useAnswer<T>(
  key: string,
  topics: readonly Topic[] | null,
  ask: (as: Asking) => Promise<T>,
  { pauseMs = 0 } = {},
): { answer: Answer<T>; again: () => void } {
  const [kept, setKept] = useState<Kept<T>>({ key, answer: { state: "loading" } });
  const latestAsk = useRef(ask);
  latestAsk.current = ask;
  const askAgain = useRef<() => void>(() => undefined);
  const watched = topics?.join();

  // `watched` stands for the topics, `key` for the question.
  useEffect(() => {
    let isCurrent = true;
    let isUnderWay = false;
    let isWanted = false;
    let askedMs = 0;
    let isAnswered = false;
    let isWaiting = true;
    // A page that was left shows at once what it had.
    const recall = async () => {
      const value = await latestAsk.current({ headers: keptHeaders });
      if (isCurrent && !isAnswered)
        setKept({ key, answer: { state: "ready", value, isStale: true, fault: null } });
    };
    const read = async (isRepetition: boolean): Promise<void> => {
      // Under the sign-in, each question counts as a wrong credential. The next session asks all.
      if (!isSignedIn()) return;
      if (isUnderWay) {
        isWanted = true;
        return;
      }
      isUnderWay = true;
      askedMs = performance.now();
      try {
        const value = await latestAsk.current({
          headers: isRepetition ? { ...aloneHeaders, ...keepHeaders } : keepHeaders,
        });
        isAnswered = true;
        if (isCurrent)
          setKept({ key, answer: { state: "ready", value, isStale: false, fault: null } });
      } catch (thrown) {
        isAnswered = true;
        const fault = asFault(thrown);
        if (isCurrent)
          setKept((before) =>
            isRepetition && before.answer.state === "ready"
              ? { ...before, answer: { ...before.answer, fault } }
              : { key, answer: { state: "failed", fault } },
          );
      }
      isUnderWay = false;
      if (!isWanted || !isCurrent) return;
      isWanted = false;
      await read(true);
    };
    const askFirst = async () => {
      await untilHeard();
      isWaiting = false;
      if (isCurrent) await read(false);
    };
    askAgain.current = () => void read(true);
    recall().catch(() => undefined);
    void askFirst();
    const stop =
      topics === null
        ? null
        : onChange(topics, (missed) => {
            // The first question has not been asked, so its answer will have the change.
            if (isWaiting || (missed !== null && askedMs >= missed.untilMs)) return;
            if (missed?.isLong === true || performance.now() - askedMs >= pauseMs) void read(true);
          });
    return () => {
      isCurrent = false;
      stop?.();
    };
  }, [key, watched, pauseMs]);

  // From the first rendering of a new question on, the value is of another one.
  const answer = useMemo(() => answerTo(key, kept), [key, kept]);
  return { answer, again: () => askAgain.current() };
}

/** An answer and the question that it answers. */
type Kept<T> = { key: string; answer: Answer<T> };

function answerTo<T>(key: string, kept: Kept<T>): Answer<T> {
  const { answer } = kept;
  return kept.key !== key && answer.state === "ready" ? { ...answer, isStale: true } : answer;
}
