import { expect, test } from "vitest";
import { sharedAddresses } from "../../../../src/chain/shared-addresses.ts";

test.each([
  ["two ports of one address", ["http://127.0.0.1:1", "http://127.0.0.1:2"], [], 1],
  ["two addresses", ["http://127.0.0.1:1", "http://127.0.0.2:1"], [], 0],
  ["one host twice", ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"], [], 0],
  ["two ports with labels", ["http://127.0.0.1:1", "http://127.0.0.1:2"], ["a", "b"], 0],
  ["an IPv6 address", ["http://[::1]:1", "ws://[::1]:2"], [], 1],
])("%s", async (_title, urls, labels, shared) => {
  const providers = new Map(labels.map((label, at) => [urls[at] ?? "", label]));
  expect(await sharedAddresses(urls, providers)).toHaveLength(shared);
});
