import { describe, expect, it } from "vitest";
import { type Batching, type Next, nothingSeen } from "../../../../src/watcher/head/decide.ts";
import type { ReadBlock } from "../../../../src/watcher/head/read-next.ts";
import {
  announcing,
  batchingSeen,
  block,
  type Case,
  hash,
  known,
  looked,
  next,
  position,
  quiet,
  state,
  wait,
} from "../../../support/chain/head-cases.ts";

describe("blocks that come at once", () => {
  const soon = known({ headNumber: 12n, readMs: 900 });
  const eleven = block(11n);
  const commit: Next = { kind: "commit", state, blocks: [eleven] };
  const batch: Next = {
    kind: "batch",
    batch: { state, blocks: [eleven], oldestPending: null },
  };
  const seen = looked({ next: eleven, oldestPending: null });
  const pendingAt = (number: bigint) =>
    looked({ next: eleven, oldestPending: { number, timeMs: null } });

  it.each<Case>([
    [
      "are kept back once it is known what waits to be confirmed",
      soon,
      looked({ next: eleven }),
      quiet,
      { kind: "read_pending" },
    ],
    ["share a commit", soon, seen, quiet, batch],
    [
      "share a commit where the next one is announced",
      { ...soon, headNumber: 11n },
      seen,
      announcing(11n),
      batch,
    ],
    [
      "are written where nobody announces the next one",
      { ...soon, headNumber: 11n },
      seen,
      quiet,
      commit,
    ],
    [
      "are written where the one before was read long ago",
      { ...soon, readMs: 749 },
      seen,
      quiet,
      commit,
    ],
    ["are kept back to the end of that time", { ...soon, readMs: 750 }, seen, quiet, batch],
    ["are written where none was read before", { ...soon, readMs: null }, seen, quiet, commit],
    [
      "are written where they hold something of ours",
      soon,
      looked({ next: block(11n, { isOurs: true }), oldestPending: null }),
      quiet,
      { kind: "commit", state, blocks: [block(11n, { isOurs: true })] },
    ],
    [
      "are written while a reorganisation is replayed",
      soon,
      looked({ next: eleven, oldestPending: null, state: { ...state, settleNumber: 12n } }),
      quiet,
      { kind: "commit", state: { ...state, settleNumber: 12n }, blocks: [eleven] },
    ],
    ["are written where one confirms what waits", soon, pendingAt(9n), quiet, commit],
    [
      "are kept back where what waits is above that",
      soon,
      pendingAt(10n),
      quiet,
      {
        kind: "batch",
        batch: { state, blocks: [eleven], oldestPending: { number: 10n, timeMs: null } },
      },
    ],
    ["are written where the read took too long", soon, seen, { ...quiet, ms: 1_250 }, commit],
  ])("%s", (_, head, seen, now, expected) => expect(next(head, seen, now)).toEqual(expected));

  it("are written where the age of the oldest pending is not known, or is reached", () => {
    const policy = { kind: "age", ageMs: 2_000 } as const;
    const pending = (timeMs: number | null) =>
      next(soon, looked({ next: eleven, oldestPending: { number: 9n, timeMs } }), quiet, policy);
    expect(pending(null).kind).toBe("commit");
    expect(pending(9_000).kind).toBe("commit");
    expect(pending(9_001).kind).toBe("batch");
  });

  it("are written where the tag that was read before the first of them confirms what waits", () => {
    const policy = { kind: "tag", tag: "safe" } as const;
    const tagged = (number: bigint) => {
      const read = block(11n, { tag: { ...position(number), saidBy: "node" } });
      const oldestPending = { number: 9n, timeMs: null };
      return next(soon, looked({ next: read, oldestPending }), quiet, policy).kind;
    };
    expect(tagged(8n)).toBe("batch");
    expect(tagged(9n)).toBe("commit");
  });
});

describe("a batch", () => {
  const first = block(11n, { readMs: 900 });
  const second = block(12n, { readMs: 1_000 });
  const batching = (of: Partial<Batching> = {}): Batching => ({
    ...known({ tip: position(11n), headNumber: 11n, readMs: 900 }),
    kind: "batching",
    batch: { state, blocks: [first], oldestPending: null },
    ...of,
  });
  const commit: Next = { kind: "commit", state, blocks: [first] };

  it.each<Case>([
    [
      "looks for an announced block, and not at the ledger",
      batching(),
      nothingSeen,
      quiet,
      { kind: "look", beside: "announced" },
    ],
    [
      "waits for the next block as long as it may",
      batching(),
      batchingSeen(),
      quiet,
      wait("batching", 150),
    ],
    ["is written when that time is over", batching(), nothingSeen, { ...quiet, ms: 1_150 }, commit],
    [
      "is written a second after its first block, however soon the last one came",
      batching({
        tip: position(12n),
        batch: { state, blocks: [block(11n, { readMs: 0 }), second], oldestPending: null },
      }),
      nothingSeen,
      quiet,
      { kind: "commit", state, blocks: [block(11n, { readMs: 0 }), second] },
    ],
    [
      "is written where the next block could not be read",
      batching({ headNumber: 12n }),
      batchingSeen({ hasFailed: true }),
      quiet,
      commit,
    ],
    [
      "is added to by a block that is known to be there",
      batching({ headNumber: 12n }),
      batchingSeen(),
      quiet,
      { kind: "read_block", number: 12n },
    ],
    [
      "asks for the head where a higher one is announced and was not read",
      batching(),
      batchingSeen(),
      announcing(13n),
      { kind: "ask_head" },
    ],
    [
      "is written where the head turns out to be its tip",
      batching(),
      batchingSeen({ head: position(11n) }),
      announcing(13n),
      commit,
    ],
    [
      "is written where the endpoint lags",
      batching({ headNumber: 9n }),
      batchingSeen({ head: position(9n), storedAtHead: hash(9n) }),
      announcing(13n),
      commit,
    ],
    [
      "is forgotten where its blocks have left the chain",
      batching({ headNumber: 12n }),
      batchingSeen({ next: block(12n, { branch: "b" }) }),
      quiet,
      { kind: "drop_batch", state },
    ],
    [
      "is joined by the next block",
      batching({ headNumber: 13n }),
      batchingSeen({ next: second }),
      quiet,
      { kind: "batch", batch: { state, blocks: [first, second], oldestPending: null } },
    ],
    [
      "is written with a block that holds something of ours",
      batching({ headNumber: 13n }),
      batchingSeen({ next: { ...second, isOurs: true } }),
      quiet,
      { kind: "commit", state, blocks: [first, { ...second, isOurs: true }] },
    ],
    [
      "is written with a block that confirms what waited when it began",
      batching({
        headNumber: 13n,
        batch: { state, blocks: [first], oldestPending: { number: 10n, timeMs: null } },
      }),
      batchingSeen({ next: second }),
      quiet,
      { kind: "commit", state, blocks: [first, second] },
    ],
  ])("%s", (_, head, seen, now, expected) => expect(next(head, seen, now)).toEqual(expected));

  it("holds 64 blocks at most", () => {
    const many = Array.from({ length: 62 }, (_, at) => block(11n + BigInt(at)));
    const of = (blocks: readonly ReadBlock[]) => {
      const last = blocks.at(-1) ?? first;
      const { number, hash } = last.block.header;
      const head = batching({
        tip: { number, hash },
        headNumber: 999n,
        readMs: 1_000,
        batch: { state, blocks: [first, ...blocks.slice(1)], oldestPending: null },
      });
      const after = block(number + 1n);
      return next(head, batchingSeen({ next: after }), quiet).kind;
    };
    expect(of(many)).toBe("batch");
    expect(of([...many, block(73n)])).toBe("commit");
  });
});
