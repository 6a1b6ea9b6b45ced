import type { Clock } from "../runtime/clock.ts";
import type { Metrics } from "./metrics.ts";

type Method = (...input: never[]) => unknown;

/**
 * Returns the same object with its questions timed. A question is a method that returns a promise.
 * A method that returns at once (to close, to subscribe) is not one.
 */
export function measureQuestions<Source extends Record<string, Method>>(
  source: Source,
  to: { metrics: Pick<Metrics, "rpcAsked">; chain: string; clock: Pick<Clock, "elapsed"> },
): Source {
  const measured = Object.entries(source).map(([question, method]) => [
    question,
    (...input: never[]) => {
      const startedMs = to.clock.elapsed();
      const observe = (isError: boolean) =>
        to.metrics.rpcAsked({
          chain: to.chain,
          question,
          isError,
          latencyMs: to.clock.elapsed() - startedMs,
        });
      const answer = method(...input);
      if (answer instanceof Promise) {
        answer.then(
          () => observe(false),
          () => observe(true),
        );
      }
      return answer;
    },
  ]);
  return Object.fromEntries(measured) as Source;
}
