import { describe, expect, it } from "vitest";
import { unaskedWords } from "../../../../src/domain/delivery/notification.ts";
import { exactOf } from "../../../../src/domain/exact.ts";
import {
  type FilteredFacts,
  filterWords,
  matches,
  type WebhookFilter,
} from "../../../../src/domain/webhook/filter.ts";
import { type FilterScope, faultOfFilter } from "../../../../src/domain/webhook/filter-check.ts";

const [one, two] = ["wallet one", "wallet two"];

/** A token that is not configured came to the same wallet. */
const sighting: Partial<FilteredFacts> = {
  event: "token.unlisted",
  assetCode: null,
  amount: null,
  worth: null,
};

/** A deposit of 100.5 USDC on ethereum to the wallet of shop-17, worth 100.49 USD. */
const deposit: FilteredFacts = {
  event: "transaction.deposit",
  chainName: "ethereum",
  assetCode: "USDC",
  walletId: one,
  reference: "shop-17",
  amount: { units: 100_500_000n, scale: 6 },
  worth: exactOf("100.49"),
};

describe("a filter", () => {
  const cases: [string, WebhookFilter, Partial<FilteredFacts>, boolean][] = [
    ["without a field", {}, {}, true],
    ["of the event", { events: ["transaction.payment", "transaction.deposit"] }, {}, true],
    ["of another event", { events: ["transaction.payment"] }, {}, false],
    ["of the chain", { blockchains: ["base", "ethereum"] }, {}, true],
    ["of another chain", { blockchains: ["base"] }, {}, false],
    ["of the asset", { assets: ["USDC"] }, {}, true],
    ["of another asset", { assets: ["usdc", "ETH"] }, {}, false],
    ["of the wallet", { walletIds: [two, one] }, {}, true],
    ["of another wallet", { walletIds: [two] }, {}, false],
    ["of a beginning", { references: ["bar-", "shop-"] }, {}, true],
    ["of the whole reference", { references: ["shop-17"] }, {}, true],
    ["of a longer reference", { references: ["shop-170"] }, {}, false],
    ["of a part in the middle", { references: ["17"] }, {}, false],
    ["of a reference, where there is none", { references: ["s"] }, { reference: null }, false],
    ["from the very amount", { minAmount: { USDC: "100.5" } }, {}, true],
    ["from a hair more", { minAmount: { USDC: "100.5000000000000000001" } }, {}, false],
    ["from an amount of another asset", { minAmount: { ETH: "5" } }, {}, true],
    [
      "from an amount at other decimals",
      { minAmount: { USDC: "100" } },
      { amount: { units: 100n * 10n ** 18n - 1n, scale: 18 } },
      false,
    ],
    ["from the very worth", { minUsd: "100.49" }, {}, true],
    ["from a cent more", { minUsd: "100.50" }, {}, false],
    ["from a worth, without a price", { minUsd: "1000000" }, { worth: null }, true],
    ["of the wallet, for an unlisted token", { walletIds: [one] }, sighting, true],
    ["of an asset, for an unlisted token", { assets: ["USDC"] }, sighting, false],
    ["from an amount, for an unlisted token", { minAmount: { USDC: "1" } }, sighting, false],
    ["from a worth, for an unlisted token", { minUsd: "1" }, sighting, false],
    ["of two fields that hold", { assets: ["USDC"], references: ["shop-"] }, {}, true],
    ["of two fields of which one holds", { assets: ["USDC"], references: ["bar-"] }, {}, false],
  ];
  it.each(cases)("%s", (_name, filter, own, isMatch) => {
    expect(matches(filter, { ...deposit, ...own })).toBe(isMatch);
  });

  it("is shown in words", () => {
    expect(unaskedWords).toBe(
      "every event but token.unlisted (transaction.pending and transaction.dropped only if the business asked)",
    );
    expect(filterWords(null, unaskedWords)).toBe(unaskedWords);
    expect(filterWords({ assets: ["USDC"] }, "some")).toBe("some, of USDC");
    expect(filterWords({ events: ["token.unlisted"] }, "some")).toBe("token.unlisted");
    const all = {
      events: ["transaction.deposit", "transaction.payment"],
      blockchains: ["base"],
      assets: ["USDC", "ETH", "DAI"],
      walletIds: ["w1", "w2"],
      references: ["shop-"],
      minAmount: { USDC: "100", ETH: "0.1" },
      minUsd: "50",
    };
    expect(filterWords(all, "some")).toBe(
      'transaction.deposit or transaction.payment, on base, of USDC, ETH or DAI, for the wallet w1 or w2, with a reference that begins with "shop-", from 100 USDC or 0.1 ETH, worth at least 50 USD or without a price',
    );
  });
});

describe("a filter that can match nothing", () => {
  const scope: FilterScope = {
    chains: [
      { name: "ethereum", assets: ["ETH", "USDC"] },
      { name: "base", assets: ["ETH"] },
    ],
    wallets: [
      { id: one, chainName: "ethereum", purpose: "deposit", reference: "shop-17" },
      { id: two, chainName: "base", purpose: "payment", reference: null },
    ],
    silentEvents: ["transaction.pending", "transaction.dropped"],
    assetlessEvents: ["token.unlisted"],
  };
  const cases: [WebhookFilter, string | null][] = [
    [{}, null],
    [{ blockchains: ["ethereum"], assets: ["USDC"], minAmount: { USDC: "1" } }, null],
    [{ walletIds: [one], references: ["shop-"], events: ["transaction.deposit"] }, null],
    [{ walletIds: [one, two], events: ["transaction.withdrawal"] }, null],
    [{ references: ["not yet there"] }, null],
    [{ events: ["transaction.payment", "transaction.pending"], walletIds: [two] }, null],
    [{ blockchains: ["ethereum", "polygon"] }, "blockchains"],
    [{ assets: ["DOGE"] }, "assets"],
    [{ walletIds: ["another's"] }, "walletIds"],
    [{ minAmount: { DOGE: "1" } }, "minAmount"],
    [{ assets: ["ETH"], minAmount: { USDC: "1" } }, "minAmount"],
    [{ events: ["transaction.pending", "transaction.dropped"] }, "events"],
    [{ blockchains: ["base"], assets: ["USDC"] }, "assets"],
    [{ walletIds: [two], assets: ["USDC"] }, "assets"],
    [{ walletIds: [one], blockchains: ["base"] }, "walletIds"],
    [{ walletIds: [two], references: ["shop-"] }, "walletIds"],
    [{ walletIds: [one], events: ["transaction.payment"] }, "walletIds"],
    [{ walletIds: [one], events: ["transaction.payment", "transaction.pending"] }, "walletIds"],
    [{ events: ["token.unlisted"], walletIds: [one], blockchains: ["ethereum"] }, null],
    [{ events: ["token.unlisted", "transaction.deposit"], assets: ["USDC"] }, null],
    [{ events: ["token.unlisted", "transaction.pending"], references: ["shop-"] }, null],
    [{ events: ["token.unlisted"], assets: ["USDC"] }, "assets"],
    [{ events: ["token.unlisted"], minAmount: { USDC: "1" } }, "minAmount"],
    [{ events: ["token.unlisted", "transaction.pending"], minUsd: "1" }, "minUsd"],
    [
      { events: ["token.unlisted", "transaction.payment"], walletIds: [one], minUsd: "1" },
      "walletIds",
    ],
  ];
  it.each(cases)("%j: %s", (filter, field) => {
    expect(faultOfFilter(filter, scope)?.field ?? null).toBe(field);
  });

  it("says what there is", () => {
    const unknown = faultOfFilter({ blockchains: ["polygon"] }, scope);
    expect(unknown).toEqual({
      field: "blockchains",
      rule: "'polygon' is not watched; expected some of ethereum, base",
      code: "not_watched",
      values: { name: "polygon", choices: "ethereum, base" },
    });
    const empty = { ...scope, chains: [] };
    const nothing = faultOfFilter({ assets: ["ETH"] }, empty);
    expect(nothing).toMatchObject({
      rule: "'ETH' is not watched; nothing is yet",
      code: "nothing_watched",
    });
  });
});
