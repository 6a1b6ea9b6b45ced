import { expect, test } from "vitest";
import {
  changedSettings,
  filterOf,
  wishOf,
} from "../../../console/src/pages/webhooks/webhook-wish.ts";

const none = wishOf(null);

test("a form that nobody has filled in asks for no filter and no order", () => {
  expect(filterOf(none)).toBeNull();
  expect(none).toMatchObject({ url: "", rate: "", isOrdered: false });
});

test("each line of the form becomes a field of the filter", () => {
  const wish = {
    ...none,
    events: ["transaction.deposit", "token.unlisted", "webhook.test"],
    assets: "USDC, ETH,",
    references: "shop-",
    minAmount: "USDC 1000, ETH  0.5",
    minUsd: " 20 ",
  };
  expect(filterOf(wish)).toEqual({
    events: ["transaction.deposit", "token.unlisted"],
    assets: ["USDC", "ETH"],
    references: ["shop-"],
    min_amount: { USDC: "1000", ETH: "0.5" },
    min_usd: "20",
  });
});

test("a filter that is shown and saved again stays as it was, its wallets too", () => {
  const filter = {
    events: ["transaction.payment" as const],
    blockchains: ["base"],
    wallet_ids: ["01a20098-39e4-7000-8000-02911919b011"],
    min_amount: { USDC: "1000" },
  };
  const shown = wishOf({
    url: "https://example.com/",
    description: null,
    rate: 5,
    order: "wallet",
    filter,
  });
  expect(shown).toMatchObject({ rate: "5", isOrdered: true, minAmount: "USDC 1000" });
  expect(filterOf(shown, filter)).toEqual(filter);
});

test("only what was changed in the form is sent", () => {
  const present = {
    url: "https://example.com/",
    description: "shop",
    rate: null,
    order: "none" as const,
    // One wallet of it is gone by now, so the server would refuse it again.
    filter: { assets: ["USDC"], wallet_ids: ["01a20098-39e4-7000-8000-02911919b011"] },
  };
  const wish = wishOf(present);
  expect(changedSettings(wish, present)).toEqual({});
  expect(changedSettings({ ...wish, description: " " }, present)).toEqual({ description: null });
  expect(changedSettings({ ...wish, rate: "5", isOrdered: true }, present)).toEqual({
    rate: 5,
    order: "wallet",
  });
  expect(changedSettings({ ...wish, assets: "" }, present)).toEqual({
    filter: { wallet_ids: present.filter.wallet_ids },
  });
});
