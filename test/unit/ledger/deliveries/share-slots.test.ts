import { describe, expect, it } from "vitest";
import { type Candidate, shareSlots } from "../../../../src/ledger/deliveries/claim-deliveries.ts";

function candidates(count: number, own: Partial<Candidate>): Candidate[] {
  return Array.from({ length: count }, (_none, index) => ({
    webhookId: `webhook ${index}`,
    consecutiveFailures: 0,
    limit: 10,
    inFlight: 0,
    isSlow: false,
    isKnown: true,
    isAnswering: true,
    rateLeft: null,
    free: 100,
    freeForDoubtful: 25,
    ...own,
  }));
}

const half = () => 0.5;

describe("the share of slots", () => {
  it("never exceeds what is free", () => {
    const shares = shareSlots(candidates(5, { free: 23 }), half);
    expect(shares.map(({ places }) => places)).toEqual([10, 10, 3]);
  });

  it("counts what a business has in flight already", () => {
    expect(shareSlots(candidates(1, { inFlight: 7 }), half)[0]?.places).toBe(3);
    expect(shareSlots(candidates(1, { inFlight: 10 }), half)).toEqual([]);
  });

  it("gives no more than the webhook's own rate admits", () => {
    expect(shareSlots(candidates(1, { rateLeft: 3 }), half)[0]?.places).toBe(3);
    expect(shareSlots(candidates(1, { rateLeft: 30 }), half)[0]?.places).toBe(10);
  });

  it("gives a webhook that keeps failing one attempt at a time", () => {
    const failing = { consecutiveFailures: 5 };
    expect(shareSlots(candidates(1, failing), half)[0]?.places).toBe(1);
    expect(shareSlots(candidates(1, { ...failing, inFlight: 1 }), half)).toEqual([]);
    expect(shareSlots(candidates(1, { consecutiveFailures: 4 }), half)[0]?.places).toBe(10);
  });

  it("asks one that has not answered lately with four, until it answers", () => {
    const paused = { isAnswering: false };
    expect(shareSlots(candidates(1, paused), half)[0]?.places).toBe(4);
    expect(shareSlots(candidates(1, { ...paused, inFlight: 4 }), half)).toEqual([]);
    expect(shareSlots(candidates(1, { ...paused, limit: 2 }), half)[0]?.places).toBe(2);
  });

  it("keeps a quarter of the places for retries, also of a single place", () => {
    expect(shareSlots(candidates(1, { limit: 8 }), half)[0]?.retryPlaces).toBe(2);
    const draws = [0.1, 0.3, 0.6, 0.8].map(
      (random) => shareSlots(candidates(1, { limit: 1 }), () => random)[0]?.retryPlaces,
    );
    expect(draws).toEqual([0, 0, 0, 1]);
  });

  it("gives receivers that time out a quarter of the slots together, and the others the rest", () => {
    const slow = candidates(5, { isSlow: true });
    const healthy = candidates(9, {});
    const shares = shareSlots([...slow, ...healthy], half).map(({ places }) => places);
    expect(shares).toEqual([10, 10, 5, 10, 10, 10, 10, 10, 10, 10, 5]);
  });

  it("gives one place to a receiver that nobody knows, out of the quarter of the slow ones", () => {
    const unknown = candidates(30, { isKnown: false });
    const shares = shareSlots([...unknown, ...candidates(1, {})], half).map(({ places }) => places);
    expect(shares).toEqual([...Array.from({ length: 25 }, () => 1), 10]);
  });

  it("has nothing to give when no dispatcher is alive", () => {
    expect(shareSlots(candidates(3, { free: 0 }), half)).toEqual([]);
    expect(shareSlots([], half)).toEqual([]);
  });
});
