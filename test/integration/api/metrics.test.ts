import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { moveChainTo } from "../../support/ledger/ledger-fixtures.ts";

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi();
});

afterAll(() => api.stop());

const scrape = async () => (await api.get("/metrics", null)).body;

test("each scrape, the first one too, shows the ledger as it is then", async () => {
  await moveChainTo(api.db, "ethereum", 100n);
  expect(await scrape()).toContain('chainbell_chain_position{chain="ethereum"} 100\n');
  await moveChainTo(api.db, "ethereum", 101n);
  const next = await scrape();
  expect(next).toContain('chainbell_chain_position{chain="ethereum"} 101\n');
  expect(next).toContain("chainbell_ledger_up 1\n");
});

test("scrapes at the same moment are each complete", async () => {
  const texts = await Promise.all(Array.from({ length: 5 }, scrape));
  for (const text of texts) expect(text).toContain('chainbell_chain_position{chain="ethereum"}');
});
