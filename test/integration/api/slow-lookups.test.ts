import { afterAll, beforeAll, expect, test } from "vitest";
import { insertStranger, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { waitFor } from "../../support/wait-for.ts";

let api: TestApi;
let asked = 0;
let answer: () => void;

beforeAll(async () => {
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  api = await openTestApi({
    normaliseTarget: async (url) => {
      asked += 1;
      if (url.includes("silent")) await silence;
      return url;
    },
  });
});

afterAll(() => api.stop());

test("a business whose name server is silent waits alone, and holds two look-ups at most", async () => {
  const register = (name: string, key?: string) =>
    api.post("/webhooks", { url: `https://${name}.example/` }, key);
  const waiting = [register("silent-1"), register("silent-2")];
  await waitFor(() => asked === 2, { what: "two look-ups", timeoutMs: 5_000 });
  const third = await register("silent-3");
  expect(third.statusCode).toBe(429);
  expect(third.headers["retry-after"]).toBe("1");
  expect(third.json().error.code).toBe("rate_limited");
  const { key } = await insertStranger(api);
  expect((await register("prompt", key)).statusCode).toBe(201);
  answer();
  for (const one of await Promise.all(waiting)) expect(one.statusCode).toBe(201);
  expect((await register("silent-3")).statusCode).toBe(201);
});
