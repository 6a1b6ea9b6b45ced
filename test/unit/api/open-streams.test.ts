import { expect, test } from "vitest";
import { createOpenStreams, type OpenStreams } from "../../../src/api/http/open-streams.ts";
import { faultIn } from "../../../src/domain/fault.ts";
import type { Owner } from "../../../src/runtime/on-behalf.ts";

/** Opens all that the owner gets. Answers how many they are, and what ends the last one. */
function openAll(streams: OpenStreams, owner: Owner) {
  for (let opened = 0, end = () => {}; ; opened += 1) {
    try {
      end = streams.begin(owner);
    } catch (error) {
      expect(faultIn(error)?.code).toBe("rate_limited");
      return { opened, end };
    }
  }
}

const business = (number: number): Owner => ({ kind: "business", name: String(number) });
const operator = (number: number): Owner => ({ kind: "operator", name: String(number) });

test("businesses that take all they get leave streams to the next one, and to operators", () => {
  const streams = createOpenStreams(() => {});
  const all = Array.from({ length: 24 }, (_, index) => openAll(streams, business(index)).opened);
  expect(all.slice(0, 18)).toEqual(Array.from({ length: 18 }, () => 100));
  expect(all.slice(18)).toEqual([50, 25, 13, 6, 3, 2]);
  const operators = [1, 2, 3].map((index) => openAll(streams, operator(index)).opened);
  expect(operators).toEqual([50, 26, 13]);
});

test("an owner may open another one once one of its own has ended", () => {
  const streams = createOpenStreams(() => {});
  const { opened, end } = openAll(streams, business(1));
  expect(opened).toBe(100);
  end();
  end();
  expect(openAll(streams, business(1)).opened).toBe(1);
});
