import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type DeliveryQueue,
  openDeliveryQueue,
  type QueueBackend,
} from "../../../src/queue/delivery-queue.ts";
import type { Service } from "../../../src/runtime/service.ts";
import { gate } from "../../support/gate.ts";
import { waitFor } from "../../support/wait-for.ts";

/** A queue server as a test has it. Whatever it does, the queue's own objects stay the same. */
export type QueueServer = {
  backend: QueueBackend;
  /** Loses everything in the queue. */
  empty: () => Promise<void>;
  /** Breaks every connection; the server is back when it resolves. */
  interrupt: () => Promise<void>;
  /** What is connected falls silent and is not closed; whoever connects anew is answered. */
  silence: () => void;
  stop: () => Promise<void>;
};

const timeoutMs = 30_000;

/** What every backend must do. */
export function testDeliveryQueue(name: string, startServer: () => Promise<QueueServer>): void {
  describe(`the delivery queue in ${name}`, () => {
    let server: QueueServer;
    let queue: DeliveryQueue;
    let consumers: Service[];
    let handled: string[];

    beforeEach(async () => {
      server = await startServer();
      queue = openDeliveryQueue({ backend: server.backend, onError: () => {} });
      consumers = [];
      handled = [];
    });

    afterEach(async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await queue.close();
      await server.stop();
    });

    async function consume(own: {
      concurrency?: number;
      stopWithinMs?: number;
      stalledAfterMs?: number;
      handle?: (token: string, signal: AbortSignal) => Promise<void>;
    }): Promise<Service> {
      const consumer = queue.createConsumer({
        concurrency: own.concurrency ?? 10,
        stopWithinMs: own.stopWithinMs ?? 10_000,
        stalledAfterMs: own.stalledAfterMs ?? 30_000,
        onError: () => {},
        async handle({ token }, signal) {
          handled.push(token);
          await own.handle?.(token, signal);
        },
      });
      consumers.push(consumer);
      await consumer.start();
      return consumer;
    }

    const enqueue = (some: string[]) =>
      queue.enqueue(some.map((token) => ({ token, deliveries: 1 })));

    const tokens = (count: number) => Array.from({ length: count }, () => randomUUID());

    const untilHandled = (wanted: string[]) =>
      waitFor(() => wanted.every((token) => handled.includes(token)), {
        what: `${wanted.length} jobs handled`,
        timeoutMs,
      });

    /** Enqueues them, as often as that fails. */
    const untilTaken = (some: string[]) =>
      waitFor(() => enqueue(some).then(() => true), { what: "the queue to take jobs", timeoutMs });

    const untilGone = (token: string) =>
      waitFor(async () => !(await queue.has(token)), { what: "the job to be gone", timeoutMs });

    it("hands each token to one handler, once", async () => {
      const wanted = tokens(500);
      await Promise.all([consume({}), consume({})]);
      await enqueue(wanted);
      await untilHandled(wanted);
      await Promise.all(wanted.slice(-10).map(untilGone));
      expect(handled.length).toBe(wanted.length);
    });

    it("replaces connections that have fallen silent", async () => {
      await consume({});
      const before = tokens(3);
      await enqueue(before);
      await untilHandled(before);
      server.silence();
      const after = tokens(3);
      await untilTaken(after);
      await untilHandled(after);
    });

    it("goes on when they fall silent under a handler, and runs no job again", async () => {
      const [token = ""] = tokens(1);
      const held = gate();
      await consume({ concurrency: 1, handle: () => held.isOpen });
      await enqueue([token]);
      await untilHandled([token]);
      server.silence();
      held.open();
      const after = tokens(3);
      await untilTaken(after);
      await untilHandled(after);
      expect(handled.toSorted()).toEqual([token, ...after].toSorted());
    });

    it("keeps a token that is enqueued twice as one job", async () => {
      const [token = ""] = tokens(1);
      await enqueue([token]);
      await enqueue([token]);
      const after = tokens(1);
      await enqueue(after);
      await consume({ concurrency: 1 });
      await untilHandled(after);
      expect(handled).toEqual([token, ...after]);
    });

    it("knows what it has", async () => {
      const [token = ""] = tokens(1);
      expect(await queue.has(token)).toBe(false);
      await enqueue([token]);
      expect(await queue.has(token)).toBe(true);
      const held = gate();
      await consume({ handle: () => held.isOpen });
      await untilHandled([token]);
      expect(await queue.has(token)).toBe(true);
      held.open();
      await untilGone(token);
    });

    it("ends a job whose handler throws, and takes the next", async () => {
      const wanted = tokens(2);
      await consume({
        concurrency: 1,
        handle: async (token) => {
          if (token === wanted[0]) throw new Error("no");
        },
      });
      await enqueue(wanted);
      await untilHandled(wanted);
      await Promise.all(wanted.map(untilGone));
      expect(handled.length).toBe(2);
    });

    it("keeps jobs until there is somebody to take them", async () => {
      const [before, after] = [tokens(3), tokens(3)];
      const first = await consume({});
      await enqueue(before);
      await untilHandled(before);
      await first.stop();
      await enqueue(after);
      await consume({});
      await untilHandled(after);
    });

    it("handles no more at a time than it may", async () => {
      let [now, most] = [0, 0];
      const wanted = tokens(40);
      await enqueue(wanted);
      await consume({
        concurrency: 4,
        async handle() {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
        },
      });
      await untilHandled(wanted);
      expect(most).toBeLessThanOrEqual(4);
    });

    it("waits for the running handler when it stops, and takes nothing new", async () => {
      const [token = "", late = ""] = tokens(2);
      const held = gate();
      let isDone = false;
      const consumer = await consume({
        concurrency: 1,
        async handle() {
          await held.isOpen;
          isDone = true;
        },
      });
      await enqueue([token]);
      await untilHandled([token]);
      const stopped = consumer.stop();
      await enqueue([late]);
      held.open();
      await stopped;
      expect(isDone).toBe(true);
      expect(handled).toEqual([token]);
      expect(await queue.has(late)).toBe(true);
    });

    it("aborts a handler that does not end in time, and never runs its job again", async () => {
      const [token = "", next = ""] = tokens(2);
      let isAborted = false;
      const consumer = await consume({
        stopWithinMs: 100,
        stalledAfterMs: 1_000,
        handle: (_token, signal) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              isAborted = true;
            });
          }),
      });
      await enqueue([token]);
      await untilHandled([token]);
      await consumer.stop();
      expect(isAborted).toBe(true);
      await consume({ stalledAfterMs: 1_000 });
      await untilGone(token);
      await enqueue([next]);
      await untilHandled([next]);
      expect(handled).toEqual([token, next]);
    });

    it("goes on with the same objects after everything in it was lost", async () => {
      const [first, after] = [tokens(3), tokens(20)];
      await consume({});
      await enqueue(first);
      await untilHandled(first);
      await Promise.all(first.map(untilGone));
      await server.empty();
      await enqueue(after);
      await untilHandled(after);
    });

    it("forgets waiting jobs when it is emptied, and takes them again", async () => {
      const lost = tokens(3);
      await enqueue(lost);
      await server.empty();
      expect(await Promise.all(lost.map(queue.has))).toEqual([false, false, false]);
      await enqueue(lost);
      await consume({});
      await untilHandled(lost);
    });

    it("goes on after a handler's own job was lost under it", async () => {
      const [token = ""] = tokens(1);
      const held = gate();
      await consume({ concurrency: 1, handle: () => held.isOpen });
      await enqueue([token]);
      await untilHandled([token]);
      await server.empty();
      expect(await queue.has(token)).toBe(false);
      held.open();
      const after = tokens(3);
      await enqueue(after);
      await untilHandled(after);
    });

    it("goes on with the same objects after the connection was lost", async () => {
      const [first, after] = [tokens(3), tokens(20)];
      await consume({});
      await enqueue(first);
      await untilHandled(first);
      await server.interrupt();
      await untilTaken(after);
      await untilHandled(after);
      expect(consumers.map((consumer) => consumer.trouble())).toEqual([null]);
    });
  });
}
