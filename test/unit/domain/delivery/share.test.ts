import { describe, expect, it } from "vitest";
import {
  type Capacity,
  type DueWebhook,
  freePlaces,
  type InFlight,
  type Share,
  share,
} from "../../../../src/domain/delivery/share.ts";

const hour = 60 * 60 * 1000;

/** A healthy webhook with more due than it gets. */
function webhook(index: number, own: Partial<DueWebhook> = {}): DueWebhook {
  const name = String(index).padStart(2, "0");
  return {
    webhookId: `webhook ${name}`,
    businessId: `business ${name}`,
    limit: 10,
    wasSlow: false,
    answeredAgoMs: 0,
    consecutiveFailures: 0,
    circuitOpenForMs: null,
    rate: null,
    rateAheadMs: null,
    businessRate: null,
    businessRateAheadMs: null,
    beside: [],
    claimedAgoMs: null,
    businessClaimedAgoMs: own.claimedAgoMs ?? null,
    dueFirsts: own.limit ?? 10,
    dueRetries: 0,
    ...own,
  };
}

const webhooks = (count: number, own: Partial<DueWebhook> = {}, from = 0) =>
  Array.from({ length: count }, (_none, index) => webhook(from + index, own));

function inFlight(index: number, own: Partial<InFlight>): InFlight {
  const { businessId, webhookId } = webhook(index);
  const facts = { wasSlow: false, answeredAgoMs: 0, consecutiveFailures: 0 };
  return { count: 0, slow: 0, hanging: 0, ...facts, businessId, webhookId, ...own };
}

const capacity = (own: Partial<Capacity> = {}): Capacity => ({
  slots: [100],
  aheadShare: 0,
  inFlight: [],
  ...own,
});

const half = () => 0.5;
const total = ({ firsts, retries }: Share) => firsts + retries;
const shared = (of: Capacity, due: DueWebhook[]) => share(of, due, half).map(total);

/** What the only webhook gets. */
const alone = (own: Partial<DueWebhook>, flight: Partial<InFlight> | null = null) =>
  shared(capacity({ inFlight: flight === null ? [] : [inFlight(0, flight)] }), [webhook(0, own)]);

describe("what one webhook gets", () => {
  const cases: [string, Partial<DueWebhook>, Partial<InFlight> | null, number[]][] = [
    ["its business's number in flight", {}, null, [10]],
    ["what its business has in flight is counted", {}, { count: 7 }, [3]],
    ["nothing where its business has that number", {}, { count: 10 }, []],
    ["no more than is due", { dueFirsts: 2, dueRetries: 1 }, null, [3]],
    ["no more than its rate admits", { rate: 3 }, null, [3]],
    ["all of its number where its rate is higher", { rate: 30 }, null, [10]],
    ["a part of its rate's second", { rate: 10, rateAheadMs: 350 }, null, [6]],
    ["nothing while it is a second ahead of its rate", { rate: 10, rateAheadMs: 1_000 }, null, []],
    ["nothing while less than one is left of its rate", { rate: 2, rateAheadMs: 501 }, null, []],
    ["its whole rate after a pause, and no more", { rate: 3, rateAheadMs: -9_000 }, null, [3]],
    ["all of its number after four failures in a row", { consecutiveFailures: 4 }, null, [10]],
    ["one place after five", { consecutiveFailures: 5 }, null, [1]],
    ["no second one", { consecutiveFailures: 5 }, { count: 1 }, []],
    ["nothing while its circuit is open", { circuitOpenForMs: 1 }, null, []],
    [
      "one when its circuit lets one through",
      { circuitOpenForMs: 0, consecutiveFailures: 10 },
      null,
      [1],
    ],
    ["one place where it has never answered", { answeredAgoMs: null }, null, [1]],
    ["one place where it answered long ago", { answeredAgoMs: 24 * hour + 1 }, null, [1]],
    ["no second one until it answers", { answeredAgoMs: null }, { count: 1 }, []],
    ["four places after a day without an answer", { answeredAgoMs: 24 * hour }, null, [4]],
    ["four places after a pause", { answeredAgoMs: 10_001 }, null, [4]],
    ["all of its number within ten seconds", { answeredAgoMs: 10_000 }, null, [10]],
    ["no fifth one until it answers", { answeredAgoMs: 10_001 }, { count: 4 }, []],
    ["no more than its own number after a pause", { answeredAgoMs: 10_001, limit: 2 }, null, [2]],
    [
      "one place for a failing one after a pause",
      { answeredAgoMs: 10_001, consecutiveFailures: 5 },
      null,
      [1],
    ],
  ];
  it.each(cases)("%s", (_rule, own, flight, expected) => {
    expect(alone(own, flight)).toEqual(expected);
  });
});

describe("the share of slots", () => {
  it("never exceeds what is free", () => {
    expect(shared(capacity({ slots: [23] }), webhooks(5))).toEqual([10, 10, 3]);
  });

  it("has places beyond the slots, to wait in the queue", () => {
    expect(shared(capacity({ slots: [20], aheadShare: 1 }), webhooks(9))).toEqual([10, 10, 10, 10]);
  });

  it("gives no claim more than one dispatcher has slots", () => {
    expect(shared(capacity({ slots: [4, 6] }), webhooks(3))).toEqual([4, 4, 2]);
  });

  it("counts what is in flight of all businesses, also of those with nothing due", () => {
    const flights = [inFlight(50, { count: 8 }), inFlight(51, { count: 9 })];
    expect(shared(capacity({ slots: [20], inFlight: flights }), webhooks(2))).toEqual([3]);
  });

  it("counts no slot for what hangs, up to twice as many as there are slots", () => {
    const hanging = (count: number) => [inFlight(50, { count, hanging: count })];
    const free = (count: number) =>
      freePlaces(capacity({ slots: [10], inFlight: hanging(count) })).free;
    expect([0, 20, 21, 26, 30].map(free)).toEqual([10, 10, 9, 4, 0]);
  });

  it("keeps a quarter of the places for retries, also of a single place", () => {
    const both = (limit: number) => [webhook(0, { limit, dueFirsts: limit, dueRetries: limit })];
    expect(share(capacity(), both(8), half)).toMatchObject([{ firsts: 6, retries: 2 }]);
    const draws = [0.1, 0.3, 0.6, 0.8].map(
      (random) => share(capacity(), both(1), () => random)[0]?.retries,
    );
    expect(draws).toEqual([0, 0, 0, 1]);
  });

  it("gives what one kind does not need to the other", () => {
    const mixed = (dueFirsts: number, dueRetries: number) =>
      share(capacity(), [webhook(0, { limit: 8, dueFirsts, dueRetries })], half);
    expect(mixed(8, 1)).toMatchObject([{ firsts: 7, retries: 1 }]);
    expect(mixed(0, 8)).toMatchObject([{ firsts: 0, retries: 8 }]);
    expect(mixed(3, 8)).toMatchObject([{ firsts: 3, retries: 5 }]);
    expect(mixed(8, 0)).toMatchObject([{ firsts: 8, retries: 0 }]);
  });

  it("gives receivers that were slow a quarter of the slots together, and the others the rest", () => {
    const due = [...webhooks(5, { wasSlow: true }), ...webhooks(9, {}, 5)];
    expect(shared(capacity(), due)).toEqual([10, 10, 5, 10, 10, 10, 10, 10, 10, 10, 5]);
  });

  it("counts a receiver as slow while it has not answered for so long, before any time-out", () => {
    const flights = [0, 1].map((index) => inFlight(index, { count: 5, slow: 1, hanging: 5 }));
    const due = webhooks(2, { limit: 20, dueFirsts: 20 });
    expect(shared(capacity({ inFlight: flights }), due)).toEqual([15]);
  });

  it("gives one place to a receiver that is not known, out of the quarter of the slow ones", () => {
    const due = [...webhooks(30, { answeredAgoMs: null }), webhook(30)];
    expect(shared(capacity(), due)).toEqual([...Array.from({ length: 25 }, () => 1), 10]);
  });

  it.each([
    ["slow", { wasSlow: true }],
    ["not known", { answeredAgoMs: null }],
    ["gone with their webhook", { wasSlow: null, answeredAgoMs: null }],
    ["slow by now", { slow: 1 }],
  ] satisfies [string, Partial<InFlight>][])(
    "counts in that quarter what is in flight to receivers that are %s",
    (_what, own) => {
      const of = capacity({ inFlight: [inFlight(50, { count: 20, ...own })] });
      expect(freePlaces(of).freeOnProbation).toBe(5);
      expect(shared(of, [...webhooks(3, { wasSlow: true }), webhook(3)])).toEqual([5, 10]);
    },
  );

  it("passes over those that get nothing, however many they are", () => {
    const slow = webhooks(90, { wasSlow: true });
    const of = capacity({ inFlight: [inFlight(99, { count: 25, wasSlow: true })] });
    expect(share(of, [...slow, webhook(95)], half)).toMatchObject([{ webhookId: "webhook 95" }]);
  });

  it("takes turns: who was claimed longest ago comes first, and before all who never was", () => {
    const due = [
      webhook(0, { claimedAgoMs: 5 }),
      webhook(1, { claimedAgoMs: null }),
      webhook(2, { claimedAgoMs: 7.5 }),
      webhook(3, { claimedAgoMs: 7.25 }),
      webhook(4, { claimedAgoMs: null }),
    ];
    const served = share(capacity(), due, half).map(({ webhookId }) => Number(webhookId.slice(-2)));
    expect(served).toEqual([1, 4, 2, 3, 0]);
  });

  it("has nothing to give when no dispatcher is alive", () => {
    expect(share(capacity({ slots: [] }), webhooks(3), half)).toEqual([]);
    expect(share(capacity(), [], half)).toEqual([]);
  });
});

describe("several webhooks of one business", () => {
  const healthy = { wasSlow: false, answeredAgoMs: 0, consecutiveFailures: 0 };
  const failing = { ...healthy, consecutiveFailures: 1 };
  const hanging = { ...healthy, wasSlow: true };
  const businessId = "business";
  const of = (index: number, own: Partial<DueWebhook> = {}) =>
    webhook(index, { businessId, limit: 20, dueFirsts: 20, ...own });
  const flight = (index: number, own: Partial<InFlight>) => inFlight(index, { businessId, ...own });

  it("have its number in flight together", () => {
    const due = [of(0, { beside: [healthy] }), of(1, { beside: [healthy] })];
    const flights = [flight(0, { count: 8 }), flight(7, { count: 5 })];
    expect(shared(capacity({ inFlight: flights }), due)).toEqual([7]);
  });

  it.each([
    ["fails", { consecutiveFailures: 1 }, 5],
    ["was slow", { wasSlow: true }, 5],
    ["is slow by now", {}, 3],
    ["is not known", { answeredAgoMs: null }, 1],
  ] satisfies [string, Partial<DueWebhook>, number][])(
    "one that %s has at most a quarter of its places",
    (_what, own, expected) => {
      const flights = expected === 3 ? [flight(0, { count: 2, slow: 1 })] : [];
      const due = [of(0, { ...own, beside: [healthy] })];
      expect(shared(capacity({ inFlight: flights }), due)).toEqual([expected]);
    },
  );

  it("leave a place free for each healthy one, however many are in trouble", () => {
    const beside = [...Array.from({ length: 5 }, () => hanging), healthy, healthy];
    const due = Array.from({ length: 6 }, (_none, index) => of(index, { ...hanging, beside }));
    expect(shared(capacity({ slots: [400] }), due)).toEqual([5, 5, 5, 3]);
    const later = [of(9, { beside, dueFirsts: 1 })];
    const flights = due.map((_one, index) => flight(index, { ...hanging, count: 3 }));
    expect(shared(capacity({ slots: [400], inFlight: flights }), later)).toEqual([1]);
  });

  it.each([
    [20, [5, 1]],
    [16, [2]],
    [10, [1]],
  ])("of sixteen, with %i places, leave the two in trouble %j", (limit, expected) => {
    const beside = [...Array.from({ length: 14 }, () => healthy), failing];
    const due = [
      of(0, { ...hanging, limit, beside }),
      of(1, { ...failing, limit, beside: [...beside.slice(0, 14), hanging] }),
    ];
    expect(shared(capacity(), due)).toEqual(expected);
  });

  it("give each of fourteen healthy ones a place beside two in trouble", () => {
    const beside = [...Array.from({ length: 13 }, () => healthy), hanging, failing];
    const due = Array.from({ length: 14 }, (_none, index) => of(index, { beside, dueFirsts: 1 }));
    const flights = [
      flight(14, { ...hanging, count: 5, slow: 5, hanging: 5 }),
      flight(15, { ...failing, count: 1 }),
    ];
    const expected = Array.from({ length: 14 }, () => 1);
    expect(shared(capacity({ inFlight: flights }), due)).toEqual(expected);
  });

  it.each<[string, Partial<InFlight>, Partial<DueWebhook>, Partial<InFlight>, number[]]>([
    ["one that begins to hang", { count: 20, hanging: 20 }, {}, {}, [1]],
    ["one of whose requests one hangs", { count: 20, hanging: 1 }, {}, {}, [1]],
    ["one that is busy", { count: 20, hanging: 0 }, {}, {}, []],
    ["one that hangs, and has a place already", { count: 19, hanging: 19 }, {}, { count: 1 }, []],
    ["one that hangs, while it fails", { count: 20, hanging: 20 }, failing, {}, []],
    ["one that hangs, with a place left", { count: 18, hanging: 18 }, {}, {}, [2]],
  ])("a healthy one beside %s gets its share", (_what, other, own, held, expected) => {
    const flights = [flight(1, other), flight(0, held)];
    const due = [of(0, { ...own, beside: [healthy] })];
    expect(shared(capacity({ inFlight: flights }), due)).toEqual(expected);
  });

  it("have at most one more each than their number while one hangs", () => {
    const beside = [...Array.from({ length: 14 }, () => healthy), hanging];
    const due = Array.from({ length: 15 }, (_none, index) => of(index, { beside }));
    const flights = [flight(15, { count: 20, hanging: 20 })];
    const first = shared(capacity({ inFlight: flights }), due);
    expect(first).toEqual(Array.from({ length: 15 }, () => 1));
  });

  it("do not keep one in trouble from its place, however busy the others are", () => {
    const flights = [flight(1, { count: 19 })];
    expect(
      shared(capacity({ inFlight: flights }), [of(0, { ...failing, beside: [healthy] })]),
    ).toEqual([1]);
  });

  it.each<[string, Partial<DueWebhook>, Partial<DueWebhook>, number[]]>([
    ["its rate's second together", { businessRate: 7 }, {}, [5, 2]],
    ["no more where the first takes all of it", { businessRate: 5 }, {}, [5]],
    ["what is left of its second", { businessRate: 8, businessRateAheadMs: 250 }, {}, [5, 1]],
    ["nothing while it is a second ahead", { businessRate: 8, businessRateAheadMs: 1_000 }, {}, []],
    [
      "its rate after a pause, and no more",
      { businessRate: 7, businessRateAheadMs: -9 },
      {},
      [5, 2],
    ],
    ["what the rate of one leaves to the other", { businessRate: 7 }, { rate: 3 }, [3, 4]],
    ["no more than their own rates", { businessRate: 9 }, { rate: 3, rateAheadMs: 999 }, [5]],
    ["its number in flight where that is less", { businessRate: 9_000, limit: 6 }, {}, [5, 1]],
    ["a share of one in trouble, and the rest", { businessRate: 9 }, { wasSlow: true }, [5, 4]],
  ])("get %s", (_what, both, firsts, expected) => {
    const dueFirsts = 5;
    const due = [
      of(0, { dueFirsts, beside: [healthy], ...both, ...firsts }),
      of(1, { dueFirsts, beside: [healthy], ...both }),
    ];
    expect(shared(capacity(), due)).toEqual(expected);
  });

  it("take nothing from the rate of another business", () => {
    const due = [of(0, { businessRate: 2 }), of(1, { businessRate: 2 }), webhook(2)];
    expect(shared(capacity(), due)).toEqual([2, 10]);
  });

  it("of sixteen, share their rate by turns: whoever waited longest comes first", () => {
    const due = Array.from({ length: 16 }, (_none, index) =>
      of(index, { businessRate: 1, claimedAgoMs: index, businessClaimedAgoMs: 0 }),
    );
    expect(share(capacity(), due, half)).toMatchObject([
      { webhookId: "webhook 15", firsts: 1, retries: 0 },
    ]);
  });

  it("take one turn, and take turns among themselves", () => {
    const due = [
      of(0, { claimedAgoMs: 9, businessClaimedAgoMs: 1, dueFirsts: 1 }),
      of(1, { claimedAgoMs: null, businessClaimedAgoMs: 1, dueFirsts: 1 }),
      webhook(2, { claimedAgoMs: 5 }),
    ];
    const served = share(capacity(), due, half).map(({ webhookId }) => webhookId);
    expect(served).toEqual(["webhook 02", "webhook 01", "webhook 00"]);
  });
});
