import type { AttemptResult } from "../../../src/domain/delivery/delivery.ts";
import type { Random } from "../random.ts";
import type { Life } from "../scheduler.ts";

export type FakeReceivers = ReturnType<typeof createFakeReceivers>;

type Heard = {
  notificationId: string;
  url: string;
  body: string;
  isAccepted: boolean;
  /** The ledger is from before it by now. */
  isBeforeRestore: boolean;
};

type Send = { deliveryId: string; notificationId: string; url: string };

/**
 * A send begins with at least this much of its lease left: until then nobody else may send the
 * same.
 */
const leaseLeftMs = 20_000;

/**
 * The businesses' receivers: what they heard, and what they answer. They also see what a sender
 * must not do: send the same delivery from two places at once, or again after its acceptance is on
 * record.
 */
export function createFakeReceivers(options: {
  now: () => number;
  random: Random;
  failing: (url: string) => number;
  gone: () => number;
  fail: (what: string) => void;
}) {
  const { now, random, failing, gone, fail } = options;
  const heard: Heard[] = [];
  const settled = new Set<string>();
  const underWay = new Map<string, { life: Life; sinceMs: number }>();

  function answer(url: string): { result: AttemptResult; isHeard: boolean } {
    const answered = (statusCode: number, retryAfterMs: number | null = null) =>
      ({ kind: "answered", statusCode, retryAfterMs, response: "" }) as const;
    if (random.chance(gone())) return { result: answered(410), isHeard: true };
    if (!random.chance(failing(url))) return { result: answered(200), isHeard: true };
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

    /**
     * The answer forgets which acceptances came on record since. What was heard is heard, but
     * perhaps with another sequence than it has from then on.
     */
    remember(): () => void {
      const then = [...settled];
      const from = heard.length;
      return () => {
        settled.clear();
        for (const id of then) settled.add(id);
        underWay.clear();
        for (const one of heard.slice(from)) one.isBeforeRestore = true;
      };
    },

    /** A claim was begun: this delivery is about to be sent. */
    begin(life: Life, delivery: Pick<Send, "deliveryId" | "notificationId" | "url">): void {
      const { deliveryId, notificationId } = delivery;
      const to = `${deliveryId} ${delivery.url}`;
      if (settled.has(deliveryId))
        fail(`notification ${notificationId} is sent again although its acceptance is on record`);
      const other = underWay.get(to);
      if (other !== undefined && !other.life.isOver && now() - other.sinceMs < leaseLeftMs)
        fail(`${life.name} and ${other.life.name} send notification ${notificationId} at once`);
      underWay.set(to, { life, sinceMs: now() });
    },

    /** What came of it is on record. */
    end({ deliveryId, url }: Pick<Send, "deliveryId" | "url">, isAccepted: boolean): void {
      underWay.delete(`${deliveryId} ${url}`);
      if (isAccepted) settled.add(deliveryId);
    },

    post({ url, notificationId, body }: { url: string; notificationId: string; body: string }) {
      const { result, isHeard } = answer(url);
      const isAccepted = result.kind === "answered" && result.statusCode === 200;
      if (isHeard) heard.push({ url, notificationId, body, isAccepted, isBeforeRestore: false });
      return { ...result, latencyMs: random.int(1, 15_000) };
    },
  };
}
