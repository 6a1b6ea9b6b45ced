import type { AttemptResult } from "../../src/domain/delivery.ts";
import type { Random } from "./random.ts";

export type FakeReceivers = ReturnType<typeof createFakeReceivers>;

type Heard = { notificationId: string; url: string; body: string; isAccepted: boolean };

/** The businesses' receivers: what they heard, and what they answer. */
export function createFakeReceivers(options: {
  random: Random;
  failing: () => number;
  gone: () => number;
}) {
  const { random, failing, gone } = options;
  const heard: Heard[] = [];

  function answer(): { result: AttemptResult; isHeard: boolean } {
    const answered = (statusCode: number, retryAfterMs: number | null = null) =>
      ({ kind: "answered", statusCode, retryAfterMs, response: "" }) as const;
    if (random.chance(gone())) return { result: answered(410), isHeard: true };
    if (!random.chance(failing())) return { result: answered(200), isHeard: true };
    const busy = random.pick([429, 503]);
    const lost = (errorKind: "timeout" | "connection") =>
      ({ kind: "unanswered", errorKind }) as const;
    return random.pick<{ result: AttemptResult; isHeard: boolean }>([
      { result: answered(500), isHeard: true },
      { result: answered(302), isHeard: true },
      { result: answered(busy, random.pick([null, 1000, 3_600_000])), isHeard: true },
      { result: lost("connection"), isHeard: false },
      // The receiver has it, and we do not know.
      { result: lost("timeout"), isHeard: true },
    ]);
  }

  return {
    heard: (): readonly Heard[] => heard,
    post(message: { url: string; notificationId: string; body: string }) {
      const { result, isHeard } = answer();
      const isAccepted = result.kind === "answered" && result.statusCode === 200;
      const { url, notificationId, body } = message;
      if (isHeard) heard.push({ url, notificationId, body, isAccepted });
      return { ...result, latencyMs: random.int(1, 15_000) };
    },
  };
}
