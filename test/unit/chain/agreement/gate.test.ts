import { expect, test } from "vitest";
import type { VoteQuestion } from "../../../../src/chain/agreement/collect-votes.ts";
import { createAgreementGate } from "../../../../src/chain/agreement/gate.ts";
import { createHolds } from "../../../../src/chain/agreement/holds.ts";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import { usualWitness } from "../../../../src/domain/chain/confirmation.ts";
import type { Vote } from "../../../../src/domain/watch/agreement-gate.ts";
import { type Clock, systemClock } from "../../../../src/runtime/clock.ts";
import { quiet } from "../../../support/quiet.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const hashAt = async (number: bigint): Promise<Hash> => `0x0${number}`;
const holdsBy = (clock: Clock) =>
  createHolds({ clock, log: quiet }, { chainName: "ethereum", witness: usualWitness });
const vote = (host: string, number: 4n | 6n): Vote => ({
  host,
  position: { number, hash: `0x0${number}` },
  isTagLower: number === 4n,
});

/**
 * The block came from `leader`; of the three only `liar` calls block 6 final, the others block 4.
 */
function gateOf(tagSaidBy: string) {
  const votes = [vote("liar", 6n), vote("honest", 4n), vote("leader", 4n)];
  const chain = {
    leadingHost: () => "leader",
    isAlone: () => false,
    witness: async ({ isLeaderAsked }: VoteQuestion) => ({
      ...({ kind: "asked", leaderThen: "leader", isWhole: true, otherChain: null } as const),
      votes: votes.filter(({ host }) => isLeaderAsked || host !== "leader"),
    }),
  };
  const gate = createAgreementGate({ chain, holds: holdsBy(systemClock) }, usualWitness.count);
  const asked = { number: 6n, tag: "finalized", tagSaidBy, hashAt } as const;
  return gate.agreedUpTo({ ...asked, ballot: null, readFrom: "leader" });
}

test("who has named the tag is not its own second where another endpoint gave the block", async () => {
  expect(await gateOf("liar")).toEqual({ kind: "agreed", number: 4n });
});

test("who gave the block and named the tag is one of two that agree", async () => {
  expect(await gateOf("leader")).toEqual({ kind: "agreed", number: 6n });
});

/** The honest host led when the others were asked; the leader has changed while the block was read. */
function gateOfEarlyVote(readFrom: "liar") {
  const made: Hash = "0x0f";
  const said = { liar: made, honest: "0x06" } as const;
  const voteOf = (host: keyof typeof said): Vote => ({
    host,
    position: { number: 6n, hash: said[host] },
    isTagLower: false,
  });
  const rest = { kind: "asked", isWhole: true, otherChain: null } as const;
  const chain = {
    leadingHost: () => "honest",
    isAlone: () => false,
    witness: async () => ({
      ...rest,
      leaderThen: "honest",
      votes: [voteOf("liar"), voteOf("honest")],
    }),
  };
  const gate = createAgreementGate({ chain, holds: holdsBy(systemClock) }, usualWitness.count);
  const ballot = { ...rest, leaderThen: "honest", votes: [voteOf("liar")] };
  const asked = { number: 6n, tag: null, tagSaidBy: null, hashAt: async () => said[readFrom] };
  return gate.agreedUpTo({ ...asked, ballot, readFrom });
}

test("who gave a block is not its second, though another host led when the others were asked", async () => {
  expect(await gateOfEarlyVote("liar")).toMatchObject({ kind: "disputed", other: "0x06" });
});

test("a history that is held hides nothing that money waits for, however long it lasts", () => {
  const clock = createSkippingClock();
  const { gate } = gateOfSilent(clock);
  gate.waitFor("history", { silent: [], disputed: [], refused: [3n] });
  clock.skip(60_000);
  expect(gate.held()).toMatchObject({ what: "history", why: "refused", number: 3n });
  gate.waitFor("opening", { silent: [], disputed: [9n] });
  expect(gate.held()).toMatchObject({ what: "opening", why: "disputed", number: 9n });
});

/** A gate whose other hosts are silent. */
function gateOfSilent(clock: Clock) {
  const chain = {
    leadingHost: () => "leader",
    isAlone: () => false,
    witness: async () => ({
      ...({ kind: "asked", leaderThen: "leader", isWhole: true, otherChain: null } as const),
      votes: [],
    }),
  };
  const gate = createAgreementGate({ chain, holds: holdsBy(clock) }, usualWitness.count);
  const isGone = (number: bigint) =>
    gate.isGone({ what: "reorg", block: { number, hash: `0x0${number}` } });
  return { gate, isGone };
}

test("the patience with a block that may be gone is not that with an earlier one", async () => {
  const clock = createSkippingClock();
  const { isGone } = gateOfSilent(clock);
  expect(await isGone(4n)).toBe("held");
  clock.skip(usualWitness.patienceMs);
  expect(await isGone(6n)).toBe("held");
  clock.skip(usualWitness.patienceMs);
  expect(await isGone(6n)).toBe("passed");
});

test("while another process has asked, no host has been waited for", async () => {
  const clock = createSkippingClock();
  const { gate, isGone } = gateOfSilent(clock);
  expect(await isGone(4n)).toBe("held");
  clock.skip(usualWitness.patienceMs);
  expect(gate.held()).toMatchObject({ what: "reorg", why: "silent" });
  gate.forget();
  expect(gate.held()).toBeNull();
  expect(await isGone(4n)).toBe("held");
  clock.skip(usualWitness.patienceMs);
  expect(await isGone(4n)).toBe("passed");
});
