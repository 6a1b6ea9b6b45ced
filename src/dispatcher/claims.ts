import type { Claim, Reserved } from "../domain/delivery/claim.ts";
import type { Clock } from "../runtime/clock.ts";
import { createGroup, type Grouped } from "./group.ts";
import type { Slot, Slots } from "./slots.ts";

export type Claims<Delivery> = {
  /**
   * Resolves once the claim has begun, and its other deliveries were given back. Its deliveries are
   * sent after that.
   * Rejects if the claim could not begin: then nothing of it is sent, and its lease expires.
   */
  handle: (claim: Claim) => Promise<void>;
  /**
   * Takes the slots that are free now, as long as at most `most` are taken. They are for deliveries
   * that begin in the same transaction as their claim. Those are sent before `stop` resolves.
   */
  reserve: (most: number) => Reserved<Delivery>;
  /**
   * Gives back the claims that wait for slots. Resolves when no delivery is being sent any more.
   * Safe to repeat.
   */
  stop: () => Promise<void>;
};

/**
 * A delivery that has begun, and its slot. Null: its claim has more deliveries than it said.
 * `askedMs`: when the ledger was asked to begin it, by the steady clock.
 */
export type Begun<Delivery> = { delivery: Delivery; slot: Slot | null; askedMs: number };

/**
 * Keeps the slots full while there are claims. A claim goes through these states:
 *
 *     waits ── a slot is free for each delivery ──> is being begun ── the ledger has it ──> is sent
 *       └── stop() ──> given back                     ├── some has not begun ──> given back
 *                                                     └── the ledger failed ──> `handle` rejects
 *
 * Claims that arrive while others are being begun wait, and begin together.
 * @param options.begin returns the deliveries of these claims that may be sent now
 * @param options.giveBack gives back what of these claims has not begun
 * @param options.sendAll resolves when all deliveries of one claim are over and stored; ends their
 *   slots
 * @param options.gather waits between two runs of `begin`, so that claims collect
 */
export function createClaims<Delivery extends { token: string }>(options: {
  slots: Slots;
  begin: (tokens: string[]) => Promise<Delivery[]>;
  giveBack: (tokens: string[]) => Promise<void>;
  sendAll: (begun: Begun<Delivery>[]) => Promise<void>;
  onError: (error: unknown) => void;
  gather: () => Promise<void>;
  clock: Pick<Clock, "elapsed">;
}): Claims<Delivery> {
  const { slots, begin, giveBack, sendAll, onError, gather, clock } = options;
  const running = new Set<Promise<void>>();

  const beginning = createGroup<Grouped<string, Together<Delivery>>>(async (gathered) => {
    const batch = gathered.splice(0);
    const askedMs = clock.elapsed();
    const isBegun = begin(batch.map(({ item }) => item));
    for (const { item: token, resolve, reject } of batch)
      isBegun.then(
        (all) => resolve({ askedMs, begun: all.filter((one) => one.token === token) }),
        reject,
      );
    await isBegun.catch(() => {});
    await gather();
  });

  async function work({ token, deliveries: count }: Claim): Promise<void> {
    const taken = await slots.take(count);
    if (taken === null) return giveBack([token]);
    const together = await new Promise<Together<Delivery>>((resolve, reject) => {
      beginning.add({ item: token, resolve, reject });
    }).catch((error: unknown) => {
      for (const slot of taken) slot.end();
      throw error;
    });
    const { begun } = together;
    for (const slot of taken.slice(begun.length)) slot.end();
    if (begun.length > 0) send(together, taken);
    // A webhook may have been paused since it was claimed, while others of its business go on.
    if (begun.length < count) await giveBack([token]);
  }

  function send({ begun, askedMs }: Together<Delivery>, taken: Slot[]): void {
    const sends = begun.map((delivery, index) => ({
      delivery,
      slot: taken[index] ?? null,
      askedMs,
    }));
    void keep(sendAll(sends).catch(onError));
  }

  function keep(promise: Promise<void>): Promise<void> {
    const over = promise.catch(() => {}).finally(() => running.delete(over));
    running.add(over);
    return promise;
  }

  return {
    handle: (claim) => keep(work(claim)),
    reserve(most) {
      const taken = slots.takeFree(most);
      const askedMs = clock.elapsed();
      return {
        places: taken.length,
        send(claims) {
          for (const begun of claims) send({ begun, askedMs }, taken.splice(0, begun.length));
          for (const slot of taken) slot.end();
        },
      };
    },
    async stop() {
      slots.close();
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Deliveries of one claim that the ledger was asked at `askedMs` to begin. */
type Together<Delivery> = { begun: Delivery[]; askedMs: number };
