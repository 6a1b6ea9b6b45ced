import { describe, expect, test } from "vitest";
import { isTooWide, suggestedBlocks } from "../../../../src/chain/rpc/suggested-range.ts";

const asked = { from: 0x100n, to: 0x100n + 99_999n };

describe("a refusal of eth_getLogs", () => {
  test.each<[string, string, number | null]>([
    [
      "Alchemy",
      "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x100, 0x12b]",
      0x2c,
    ],
    [
      "Infura",
      "query returned more than 10000 results. Try with this block range [0x100, 0x1ff].",
      0x100,
    ],
    ["QuickNode", "eth_getLogs is limited to a 10,000 range", 10_000],
    ["PublicNode", "exceed maximum block range: 50000", 50_000],
    ["Cloudflare", "Max range: 800", 800],
    ["LlamaRPC", "eth_getLogs range is too large, max is 1k blocks", 1_000],
    ["DRPC", "ranges over 10000 blocks are not supported on freetier", 10_000],
    ["BlockPi", "eth_getLogs is limited to 1024 block range. Please check the parameter", 1_024],
    ["Chainstack", "Block range limit exceeded. See more details at the documentation.", null],
    ["Ankr", "block range is too wide", null],
    ["Base", "block range too large", null],
    ["Arbitrum", "logs matched by query exceeds limit of 10000", null],
    ["a code before it", "error -32005, block range too large", null],
    ["a code before a number", "error -32614, eth_getLogs is limited to a 10,000 range", 10_000],
    ["a status before it", "HTTP status 429, block range too large", null],
    ["a code after it", "block range limit exceeded (-32005)", null],
    ["a range that runs backwards", "this block range should work: [0x100, 0x0]", null],
    ["a range that begins elsewhere", "this block range should work: [0x1, 0x20]", null],
    ["a suggestion that is no smaller", "exceed maximum block range: 500000", null],
  ])("of %s is known as one of the range, with what it suggests", (_, reason, blocks) => {
    expect(isTooWide(reason)).toBe(true);
    expect(suggestedBlocks(reason, asked)).toBe(blocks);
  });

  test.each([
    ["rate limit exceeded"],
    ["Too many requests, please slow down"],
    ["daily request count exceeded, request rate limited"],
    ["Your app has exceeded its compute units per second capacity."],
    ["project ID request rate exceeded"],
  ])("'%s' is about the pace, not the range", (reason) => {
    expect(isTooWide(reason)).toBe(false);
  });
});
