import { expect, test } from "vitest";
import { WireFault } from "../../../console/src/wire/fault.ts";
import { forEach } from "../../../console/src/wire/for-each.ts";

const fault = (status: number, retryAfterS: number | null = null) =>
  new WireFault({ status, code: `http_${status}`, message: "no", retryAfterS });

/** Acts as each id says, such as `b:409` or `c:429,429`: refusals that come before it succeeds. */
async function run(...wishes: string[]) {
  const left = new Map(
    wishes.map((wish) => {
      const [id = "", refusals = ""] = wish.split(":");
      return [id, refusals === "" ? [] : refusals.split(",").map(Number)];
    }),
  );
  const acted: string[] = [];
  const waited: number[] = [];
  let underWay = 0;
  let most = 0;
  const refusals = await forEach(
    [...left.keys()].map((id) => ({ id })),
    async ({ id }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      acted.push(id);
      const status = left.get(id)?.shift();
      if (status !== undefined) throw fault(status, status === 429 ? 7 : null);
    },
    {
      onDone: (count) => expect(count).toBeLessThanOrEqual(wishes.length),
      pauseFor: async (ms) => void waited.push(ms),
    },
  );
  const refused = refusals.map(({ id, fault: { status } }) => `${id}:${status}`);
  return { refused, acted, waited, most };
}

test("acts on each once, four at a time", async () => {
  const { refused, acted, most } = await run(..."abcdefghij");
  expect(refused).toEqual([]);
  expect(acted.toSorted()).toEqual([..."abcdefghij"]);
  expect(most).toBe(4);
});

test("names what was refused, and goes on with the others", async () => {
  const { refused, acted } = await run("a", "b:409", "c", "d:404", "e", "f");
  expect(refused.toSorted()).toEqual(["b:409", "d:404"]);
  expect(acted).toHaveLength(6);
});

test("waits as long as a 429 asks, and tries that one again", async () => {
  const { refused, acted, waited } = await run("a", "b:429,429", "c");
  expect(refused).toEqual([]);
  expect(acted.filter((id) => id === "b")).toHaveLength(3);
  expect(waited).toEqual([7_000, 7_000]);
});

test("gives up on one that is always too many", async () => {
  const { refused, acted } = await run(`a:${Array(9).fill(429).join()}`);
  expect(refused).toEqual(["a:429"]);
  expect(acted).toHaveLength(6);
});

test("acts on nothing more once the session is over", async () => {
  const { refused, acted } = await run("a:401", "b", "c", "d", "e", "f", "g", "h");
  expect(acted.length).toBeLessThan(8);
  expect(refused.length + acted.length - 1).toBe(8);
});
