import fc from "fast-check";
import fastify from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { expect, test } from "vitest";
import type { z } from "zod";
import { parseSliced, sliceLargeJson, textOf } from "../../../src/api/http/large-json.ts";
import type { Web } from "../../../src/api/http/web.ts";
import { atOnce, type Sliced, sliceItems } from "../../../src/domain/in-slices.ts";
import { parseWallets } from "../../../src/schema/parse-wallet.ts";
import { readSliced } from "../../../src/schema/sliced-body.ts";
import { walletBody } from "../../../src/schema/wallet-body.ts";

/** What the work gives, and how often it stopped meanwhile. */
function counted<Result>(work: Sliced<Result>): { result: Result; stops: number } {
  for (let stops = 0; ; stops += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, stops };
  }
}

const read = (text: string) => atOnce(parseSliced(text, JSON.parse));
const filler = "x".repeat(70_000);

/** Enough of them that a list has several parts. */
const long = Array.from({ length: 3_000 }, (_, at) => ({ at, text: `"[{,}]\\ ${at} é` }));

const values = fc.jsonValue({ maxDepth: 4 });

test("a body is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), values),
      fc.array(values),
      fc.nat(4),
      (rest, some, space) => {
        const body = { ...rest, some, long, [filler.slice(0, 9)]: [[long[0]], []] };
        const text = JSON.stringify(body, null, space);
        expect(read(text)).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 50 },
  );
});

const list = long.map((one) => JSON.stringify(one)).join(",");

test.each([
  `{"wallets":[${list},]}`,
  `{"wallets":[,${list}]}`,
  `{"wallets":[${list},,${list}]}`,
  `{"wallets":[${list}}`,
  `{"wallets":[${list}]`,
  `{"wallets":[${list}]]}`,
  `{"wallets":[${list}]}}`,
  `{"wallets":[${list}] "a":1}`,
  `{"wallets":[${list} 1]}`,
  `{"wallets":[${list}, {"a":1]}]}`,
  `{"wallets":[${list}, "a]}`,
  `{wallets:[${list}]}`,
  `[${list}`,
  `{"wallets":["${"x".repeat(40_000)}",]}`,
])("malformed text is refused as JSON.parse refuses it (%#)", (text) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(() => read(text)).toThrow();
});

test("a member that stands twice counts as it does for JSON.parse", () => {
  const text = `{"wallets":[${list}],"wallets":[1],"b":[${list}],"b":2}`;
  expect(read(text)).toEqual(JSON.parse(text));
});

test.each([
  ["a text", JSON.stringify({ wallets: filler })],
  ["a member of a list", JSON.stringify({ wallets: [1, `${filler}${filler}`, 2] })],
  ["a list in a list", JSON.stringify({ wallets: [[...long, ...long]] })],
  ["an object in the object", JSON.stringify({ wallets: { long } })],
  ["a list alone", JSON.stringify(long)],
  ["very many members", `{"wallets":[${"[],".repeat(100_000)}[]]}`],
  [
    "very many members of several lists",
    `{"a":[${"[],".repeat(60_000)}1],"b":[${"[],".repeat(60_000)}1]}`,
  ],
  ["very many lists", `{${'"a":[],'.repeat(20_000)}"b":[]}`],
])("%s that would be read in one go is too large", (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ statusCode: 413 }));
});

test("an answer has the text that JSON.stringify makes of it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), fc.array(values), (rest, data) => {
      const answer = {
        success: true,
        none: undefined,
        ...rest,
        data,
        long,
        odd: [undefined, ...long],
      };
      expect(atOnce(textOf(answer))).toBe(JSON.stringify(answer));
    }),
    { numRuns: 50 },
  );
  for (const value of [null, 7, "a", [1], { data: [] }, new Date(0), { a: 1 }])
    expect(atOnce(textOf(value))).toBe(JSON.stringify(value));
});

const address = (at: number) => `0x${at.toString(16).padStart(40, "0")}`;
const wallets = Array.from({ length: 10_000 }, (_, at) => ({
  blockchain: "ethereum",
  address: address(at),
}));

test("a route whose body may be large and is read in one go is refused", () => {
  const web: Web = fastify().withTypeProvider<ZodTypeProvider>();
  sliceLargeJson(web);
  const add = (body: z.ZodType) =>
    web.post("/", { bodyLimit: 2 ** 20, schema: { body }, handler: () => ({}) });
  expect(() => add(walletBody.optional())).toThrow("not read in slices");
  expect(() => add(walletBody)).not.toThrow();
});

test("10,000 wallets are read, checked and shown in slices", async () => {
  const slices = wallets.length / sliceItems;
  const parsed = counted(parseSliced(JSON.stringify({ wallets }), JSON.parse));
  expect(parsed.result).toEqual({ wallets });
  // A part has half a usual body.
  expect(parsed.stops).toBeGreaterThanOrEqual(JSON.stringify(wallets).length / 32_768);
  const before = await readSliced(walletBody, parsed.result);
  const { data } = walletBody.safeParse(before);
  expect(data?.wallets).toHaveLength(wallets.length);
  const checked = counted(parseWallets({ wallets, isList: true }, ["ethereum"]));
  expect(checked.stops).toBe(slices - 1);
  const shown = counted(
    textOf({ success: true, data: checked.result.map(({ address: to }) => to) }),
  );
  expect(shown.stops).toBe(slices - 1);
});

test("a list that is wrong from end to end is not looked at to its end", async () => {
  const wrong = wallets.map(() => ({ a: 1 }));
  const before = await readSliced(walletBody, { wallets: wrong });
  expect(walletBody.safeParse(before).error?.issues.length).toBeLessThan(200);
});
