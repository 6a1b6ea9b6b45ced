import { expect, test } from "vitest";
import { createAskedInDay } from "../../../../src/chain/endpoints/asked-in-day.ts";

const hourMs = 3_600_000;

function askedAt(host: string) {
  const now = { ms: 1_000_000 };
  const inDay = createAskedInDay(host, { elapsed: () => now.ms });
  return { now, ...inDay };
}

test("calls of a day are counted, and charged as the provider does", () => {
  const { now, asked, announced, summary } = askedAt("eth-mainnet.g.alchemy.com");
  for (let count = 0; count < 10; count += 1) asked("eth_blockNumber");
  now.ms += 2.5 * hourMs;
  asked("debug_traceBlockByHash");
  asked("eth_getBlockByHash");
  // 500 bytes of JSON.
  announced({ extraData: "a".repeat(484) });
  const charged = { units: 10 * 10 + 40 + 20 + 20, unit: "CU" };
  expect(summary()).toEqual({ calls: 12, callsHours: 2.5, charged });
});

test("what is older than a day is forgotten, by the hour", () => {
  const { now, asked, summary } = askedAt("mainnet.infura.io:8443");
  asked("eth_getBlockReceipts");
  now.ms += 23 * hourMs;
  asked("eth_chainId");
  expect(summary()).toMatchObject({ calls: 2, charged: { units: 1_005, unit: "credits" } });
  now.ms += hourMs;
  expect(summary()).toMatchObject({ calls: 1, charged: { units: 5, unit: "credits" } });
  expect(summary().callsHours).toBeGreaterThan(23);
  now.ms += 100 * hourMs;
  expect(summary()).toMatchObject({ calls: 0, charged: { units: 0 } });
});

test.each(["127.0.0.1:8545", "[::1]:8545", "notalchemy.com", "alchemy.com.example"])(
  "what %s charges is not known",
  (host) => {
    const { asked, summary } = askedAt(host);
    asked("eth_blockNumber");
    expect(summary()).toEqual({ calls: 1, callsHours: 0, charged: null });
  },
);
