import type { Metrics } from "./metrics.ts";

type Method = (...input: never[]) => unknown;

/**
 * The same object, each question of which is timed: every method that answers with a promise. One that answers at
 * once (to close, to subscribe) is no question.
 */
export function measureQuestions<Source extends Record<string, Method>>(
  source: Source,
  to: { metrics: Pick<Metrics, "rpcAsked">; chain: string; clock: { now: () => number } },
): Source {
  const measured = Object.entries(source).map(([question, method]) => [
    question,
    (...input: never[]) => {
      const startedMs = to.clock.now();
      const observe = (isError: boolean) =>
        to.metrics.rpcAsked({
          chain: to.chain,
          question,
          isError,
          latencyMs: to.clock.now() - startedMs,
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
