import { expect, test } from "vitest";
import { alertText } from "../../../../console/src/pages/parts/alert-text.ts";
import english from "../../../../console/src/text/en.json" with { type: "json" };
import { alertKindNames } from "../../../../src/domain/alerts/alert-kinds.ts";
import { conditionsOf } from "../../../../src/domain/alerts/conditions.ts";
import { presentAlerts } from "../../../../src/schema/alert.ts";
import { nowMs, snapshotsAt } from "./snapshot.ts";

/** Alerts that hold at 0. The others hold at a number that is large enough. */
const atZero = new Set([
  "ChainbellChainNotWatched",
  "ChainbellNoDispatcher",
  "ChainbellNoRelay",
  "ChainbellEndpointFailing",
  "ChainbellUpgradeAhead",
  "ChainbellPriceStale",
]);

test.each(Object.entries(snapshotsAt))(
  "the console words %s from its kind and its values alone",
  (kind, snapshotAt) => {
    const [alert, ...others] = presentAlerts(
      conditionsOf(snapshotAt(atZero.has(kind) ? 0 : 2_000_000), nowMs),
    );
    expect([alert?.kind, others]).toEqual([kind, []]);
    const said = alert === undefined ? "" : alertText({ ...alert, summary: "" });
    expect(said).not.toMatch(/[{}–]|undefined|null|NaN/);
    expect(said).not.toBe("");
  },
);

test("the console has words for every kind", () => {
  expect(Object.keys(english.alert).toSorted()).toEqual([...alertKindNames].toSorted());
});
