import { expect, test } from "vitest";
import {
  isApiKeyForm,
  newApiKey,
  recordOfApiKey,
} from "../../../../src/domain/business/api-key.ts";

test("a key has its form and never comes twice", () => {
  const keys = new Set(Array.from({ length: 1_000 }, newApiKey));
  expect(keys.size).toBe(1_000);
  for (const key of keys) expect(isApiKeyForm(key)).toBe(true);
});

test("what is stored of a key shows its beginning and no more", () => {
  const key = newApiKey();
  const { prefix, digest } = recordOfApiKey(key);
  expect(key.startsWith(prefix)).toBe(true);
  expect(prefix).toHaveLength(8);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  "",
  "cb_",
  "cb_short",
  `cb_${"x".repeat(44)}`,
  `xx_${"x".repeat(43)}`,
  ` ${newApiKey()}`,
])("'%s' is not worth asking for", (text) => {
  expect(isApiKeyForm(text)).toBe(false);
});
