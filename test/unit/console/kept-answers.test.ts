import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fetchKeeping, keepHeaders, keptHeaders } from "../../../console/src/wire/kept-answers.ts";

/** A server that answers how often it was asked, and the names of headers that it got. */
async function openServer() {
  const names = new Set<string>();
  let asked = 0;
  const server = createServer((request, response) => {
    for (const name of Object.keys(request.headers)) names.add(name);
    asked += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(asked));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await fetchKeeping(`http://127.0.0.1:${port}${path}`, { headers })).json();
  return { ask, names };
}

test("an export of many pages pushes out no answer of a page", async () => {
  const { ask, names } = await openServer();
  expect(await ask("/page", keepHeaders)).toBe(1);
  for (let page = 0; page < 100; page += 1) await ask(`/export?page=${page}`);
  expect(await ask("/page", keptHeaders)).toBe(1);
  await expect(ask("/export?page=99", keptHeaders)).rejects.toThrow("nothing is kept");
  expect([...names].filter((name) => name.startsWith("x-"))).toEqual([]);
});

test("what two parts of a page ask at the same moment is one request", async () => {
  const { ask } = await openServer();
  const both = await Promise.all([ask("/page", keepHeaders), ask("/page", keepHeaders)]);
  expect(both).toEqual([1, 1]);
  expect(await ask("/page", keepHeaders)).toBe(2);
});

test("the answers of the sixty pages that were read or shown last are kept", async () => {
  const { ask } = await openServer();
  for (let page = 0; page < 60; page += 1) await ask(`/${page}`, keepHeaders);
  expect(await ask("/0", keptHeaders)).toBe(1);
  await ask("/60", keepHeaders);
  expect(await ask("/0", keptHeaders)).toBe(1);
  await expect(ask("/1", keptHeaders)).rejects.toThrow("nothing is kept");
});
