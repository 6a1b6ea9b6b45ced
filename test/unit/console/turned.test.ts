import { expect, test } from "vitest";
import { unturned, visible } from "../../../console/src/ui/show/turned.ts";

test.each([
  ["\u202egnp.exe", "gnp.exe", "\ufffdgnp.exe"],
  [" shop\u00a0in  Lisbon ", "shop in Lisbon", " shop\u00a0in  Lisbon "],
  ["\u200b\u2066", "", "\ufffd\ufffd"],
  ["customer-17", "customer-17", "customer-17"],
])("%j is typed as %j, and shown as %j", (text, typed, shown) => {
  expect(visible(text)).toBe(typed);
  expect(unturned(text)).toBe(shown);
});
