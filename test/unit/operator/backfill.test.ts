import { expect, test } from "vitest";
import type { Audited } from "../../../src/domain/business/audit.ts";
import type { HistoryVerdict } from "../../../src/domain/watch/history.ts";
import { walletBackfill } from "../../../src/operator/wallet/backfill.ts";

const walletId = "01900000-0000-7000-8000-000000000000";

type Requested = { walletId: string; fromNumber: bigint };
type Ledger = { requestHistory: (asked: Requested) => Promise<Requested> };

const audited: Audited<Ledger> = async (_, work) =>
  (await work({ requestHistory: async (asked) => asked })).output;

/** Runs the verb for a history that stands as `ended` when it is followed no longer. */
async function backfill(
  ended: { verdict: HistoryVerdict | null; isWatched: boolean; heldAt?: bigint },
  options: { isDevelopment?: boolean } & Record<string, unknown> = {},
) {
  if (walletBackfill.cli === null) throw new Error("the command line offers it");
  const read = { chainName: "ethereum", fromNumber: 3n, nextNumber: 21n, untilNumber: 20n };
  const { isDevelopment = false, ...given } = options;
  const ports = {
    audited,
    followHistory: async () => ({ ...read, heldAt: null, ...ended }),
    showProgress: () => ({ update() {}, end() {} }),
    isDevelopment,
    chainNames: ["ethereum"],
    catchUp: async () => ({ from: 1n, to: 2n, target: 2n }),
  };
  const { answer, isUnfinished } = await walletBackfill.cli.run(ports, {
    wallet: walletId,
    fromBlock: "3",
    ...given,
  });
  return { answer, isUnfinished };
}

const asked = { wallet_id: walletId, from_block: 3 };

test("a history that is judged says nothing more", async () => {
  expect(await backfill({ verdict: "agrees", isWatched: true })).toEqual({
    answer: { ...asked, next_block: 21, history: "agrees" },
    isUnfinished: false,
  });
});

test("a history that nobody goes on with is unfinished, and says that its order is kept", async () => {
  expect(await backfill({ verdict: null, isWatched: false })).toEqual({
    answer: {
      ...asked,
      next_block: 21,
      history: "filling",
      says: expect.stringMatching(/^No daemon watches 'ethereum'\. The order is kept: /),
    },
    isUnfinished: true,
  });
  const { answer, isUnfinished } = await backfill({ verdict: null, isWatched: true });
  expect(answer).toMatchObject({ says: expect.stringContaining("The daemon judges the history") });
  expect(isUnfinished).toBe(true);
});

test.each([
  { isDevelopment: false, remedy: "Add an endpoint that keeps old blocks" },
  { isDevelopment: true, remedy: "run 'dev reset'" },
])("a history that is held is unfinished, and says what to do ($remedy)", async (of) => {
  const { isDevelopment, remedy } = of;
  const held = { verdict: null, isWatched: true, heldAt: 3n };
  const { answer, isUnfinished } = await backfill(held, { isDevelopment });
  expect(answer).toMatchObject({ says: expect.stringContaining("the blocks of a history from 3") });
  expect(answer).toMatchObject({ says: expect.stringContaining(remedy) });
  expect(isUnfinished).toBe(true);
});

test("with --no-wait it is ordered, and not followed", async () => {
  expect(await backfill({ verdict: null, isWatched: false }, { wait: false })).toEqual({
    answer: { ...asked, history: "filling" },
    isUnfinished: false,
  });
});

test("--no-wait is for a history alone", async () => {
  const chain = { wallet: undefined, fromBlock: undefined, chain: "ethereum", wait: false };
  await expect(backfill({ verdict: null, isWatched: false }, chain)).rejects.toMatchObject({
    code: "invalid_request",
  });
});
