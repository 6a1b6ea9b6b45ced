import { expect, test } from "vitest";
import { noteLag } from "../../../src/ledger/chain/lag-history.ts";
import { eachTestApi } from "../../support/api/each-api.ts";

const api = eachTestApi();

const day = 86_400_000;
const positionMs = Date.UTC(2026, 0, 1);

const lag = async (name = "ethereum") => (await api.admin("GET", `/chains/${name}/lag`)).json();

/** A head `behindMs` after the chain's position, seen now. */
const note = (behindMs: number) =>
  noteLag(api.db, "ethereum", {
    head: { number: 101n, timeMs: positionMs + behindMs, seenMs: positionMs },
    nowMs: positionMs,
  });

test("the most that a chain was behind is kept for each minute, and shown for the last day", async () => {
  await note(5_000);
  expect((await lag()).data).toEqual([]);
  const positionTime = new Date(positionMs);
  await api.db.chain.update({
    where: { name: "ethereum" },
    data: { positionNumber: 100n, positionHash: `0x${"a".repeat(64)}`, positionTime },
  });
  await noteLag(api.db, "ethereum", { head: null, nowMs: positionMs });
  expect((await lag()).data).toEqual([]);
  for (const behindMs of [5_000, 9_000, 2_000]) await note(behindMs);
  const kept = await api.db.chainLag.findMany();
  expect(Math.max(...kept.map(({ seconds }) => seconds))).toBe(9);

  const at = (ms: number) => new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000);
  const rows = [day / 2, 1.5 * day, 8 * day].map((ms, index) => ({
    chainName: "ethereum",
    at: at(ms),
    seconds: 20 + index,
  }));
  await api.db.chainLag.createMany({ data: rows });
  const { data } = await lag();
  const shown = data.map(({ seconds }: { seconds: number }) => seconds);
  expect([shown[0], Math.max(...shown.slice(1))]).toEqual([20, 9]);
  await note(1_000);
  expect(await api.db.chainLag.count({ where: { seconds: { gte: 20 } } })).toBe(2);
});

test("a chain that nobody knows has none", async () => {
  expect((await lag("nowhere")).error.code).toBe("chain_not_found");
});
