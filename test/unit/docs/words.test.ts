import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { deliveryStatuses } from "../../../src/domain/delivery/delivery.ts";
import { notificationEvents } from "../../../src/domain/delivery/notification.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { assetKinds } from "../../../src/domain/money/asset.ts";
import { transactionStatuses, transactionTypes } from "../../../src/domain/money/transaction.ts";
import { spanNames } from "../../../src/domain/spans.ts";

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");

const missingIn = (text: string, words: readonly string[]) =>
  words.filter((word) => !text.includes(`\`${word}\``));

test.each([
  ["event", keysOf(notificationEvents)],
  ["type of transaction", keysOf(transactionTypes)],
  ["status of a transaction", keysOf(transactionStatuses)],
  ["status of a delivery", keysOf(deliveryStatuses)],
  ["kind of asset", keysOf(assetKinds)],
])("the contract names every %s", (_, words: readonly string[]) => {
  expect(missingIn(page("contract"), words)).toEqual([]);
});

test("the contract names every key of the configuration and of a chain in it", () => {
  const schema = JSON.parse(configJsonSchema());
  const { chains, ...others } = schema.properties;
  const keys = [...Object.keys(others), ...Object.keys(chains.items.properties)];
  expect(keys.length).toBeGreaterThan(15);
  expect(missingIn(page("contract"), keys)).toEqual([]);
});

test("the page on spans names each of them", () => {
  expect(missingIn(page("how-to/trace"), spanNames)).toEqual([]);
});
