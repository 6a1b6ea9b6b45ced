import { expect, it } from "vitest";
import { isNameText, isPlainText } from "../../../src/domain/text.ts";

it.each([
  ["a right-to-left override", "pay\u202egnp.exe"],
  ["an isolate", "\u2066a\u2069"],
  ["a direction mark", "a\u200f"],
  ["a space without a width", "ac\u200bme"],
  ["a soft hyphen", "ac\u00adme"],
  ["a byte order mark", "\ufeffacme"],
  ["tags", "acme\u{e0061}\u{e0062}"],
  ["a filler", "acme\u3164"],
  ["a line separator", "a\u2028b"],
  ["nothing but joiners", "\u200d\u200c"],
  ["half of a pair", "a\ud800"],
])("a name with %s is refused", (_, text) => {
  expect(isNameText(text)).toBe(false);
});

it.each([
  ["a Persian word that needs a non-joiner", "می\u200cخواهم"],
  ["a Sinhala word that needs a joiner", "ශ්\u200dරී"],
  ["an emoji of several", "👩\u200d💻 ❤\ufe0f"],
  ["an ideograph in a chosen form", "葛\u{e0100}城"],
  ["an Arabic number sign, which is seen", "\u0600١٢"],
  ["any other script", "Ünïcødé Ltd, 株式会社"],
])("a name with %s is taken", (_, text) => {
  expect(isNameText(text)).toBe(true);
});

it("what was stored before can be looked for", () => {
  expect(isPlainText("ac\u200bme")).toBe(true);
});
