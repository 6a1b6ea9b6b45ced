import { expect, test } from "vitest";
import { balanceText } from "../../../src/api/routes/business/balance.ts";
import type { Holding } from "../../../src/domain/money/holding.ts";

const asOfMs = Date.UTC(2026, 0, 1);
const price = { usd: "1", asOfMs, proof: "agreed" } as const;
const holding = (fields: Partial<Holding>): Holding => ({
  chainName: "ethereum",
  code: "ETH",
  decimals: 18,
  confirmedAtomic: 0n,
  pendingAtomic: 0n,
  price: null,
  ...fields,
});

test("the numbers carry every digit", () => {
  const holdings = [holding({ confirmedAtomic: 2n ** 256n - 1n, pendingAtomic: 1n })];
  expect(balanceText({ holdings, syncingWallets: 2 })).toBe(
    '{"success":true,"net_worth_usd":0.00,' +
      '"assets":{"ETH":115792089237316195423570985008687907853269984665640564039457.584007913129639935},' +
      '"pending":{"ETH":0.000000000000000001},"unpriced_assets":["ETH"],"prices_as_of":null,"syncing_wallets":2,' +
      '"net_worth":"0.00","holdings":[{"asset":"ETH","blockchain":"ethereum",' +
      '"amount":"115792089237316195423570985008687907853269984665640564039457.584007913129639935",' +
      '"usd":null,"price_proof":null,"pending":"0.000000000000000001"}]}',
  );
});

test("one code on chains with different decimals is one exact sum", () => {
  const holdings = [
    holding({ code: "USDC", decimals: 6, confirmedAtomic: 1_500_000n, price }),
    holding({ code: "USDC", decimals: 18, chainName: "bsc", confirmedAtomic: 1n, price }),
  ];
  const text = balanceText({ holdings, syncingWallets: 0 });
  expect(text).toContain('"assets":{"USDC":1.500000000000000001}');
  expect(JSON.parse(text)).toMatchObject({
    net_worth_usd: 1.5,
    unpriced_assets: [],
    prices_as_of: "2026-01-01T00:00:00.000Z",
  });
});

test("what comes to zero is left out, in each column by itself", () => {
  const holdings = [
    holding({ confirmedAtomic: 5n }),
    holding({ chainName: "base", confirmedAtomic: -5n, pendingAtomic: 7n }),
  ];
  const text = balanceText({ holdings, syncingWallets: 0 });
  expect(JSON.parse(text)).toMatchObject({ assets: {}, pending: { ETH: 7e-18 } });
  expect(text).toContain('"pending":{"ETH":0.000000000000000007}');
});

test("a code that would break out of the JSON text does not", () => {
  const holdings = [holding({ code: '"}__proto__', confirmedAtomic: 1n })];
  const body = JSON.parse(balanceText({ holdings, syncingWallets: 0 }));
  expect(Object.keys(body.assets)).toEqual(['"}__proto__']);
});

test("holdings are text, one for each asset of each chain, with what each is worth", () => {
  const holdings = [
    holding({
      confirmedAtomic: 10_003n * 10n ** 18n + 1n,
      price: { usd: "2500.125", asOfMs, proof: null },
    }),
    holding({ code: "USDC", decimals: 6, chainName: "base", pendingAtomic: 1_000_000n, price }),
    holding({ code: "DUSD", chainName: "base" }),
  ];
  expect(JSON.parse(balanceText({ holdings, syncingWallets: 0 }))).toMatchObject({
    net_worth: "25008750.38",
    holdings: [
      {
        asset: "ETH",
        blockchain: "ethereum",
        amount: "10003.000000000000000001",

        usd: "25008750.38",
        pending: "0",
      },
      { asset: "USDC", blockchain: "base", amount: "0", usd: "0.00", pending: "1" },
    ],
  });
});
