import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";

let api: TestApi;
let trouble: string | null = null;

beforeAll(async () => {
  api = await openTestApi({
    health: () => ({ ready: trouble === null, services: [{ name: "watcher:ethereum", trouble }] }),
  });
});

afterAll(() => api.stop());

const get = async (url: string) => {
  const response = await api.get(url, null);
  return [response.statusCode, response.json()] as const;
};

test("health is open to everybody: live, ready, and which part makes no progress", async () => {
  expect(await get("/health/live")).toEqual([200, { success: true, status: "live" }]);
  const services = [{ name: "watcher:ethereum", trouble: null }];
  expect(await get("/health/ready")).toEqual([200, { success: true, ready: true, services }]);
  trouble = "no step has ended";
  const troubled = [{ name: "watcher:ethereum", trouble }];
  expect(await get("/health/live")).toEqual([200, { success: true, status: "live" }]);
  expect(await get("/health/ready")).toEqual([
    503,
    { success: false, ready: false, services: troubled },
  ]);
  expect(await get("/health")).toEqual([
    200,
    { success: true, status: "degraded", ready: false, services: troubled },
  ]);
});
