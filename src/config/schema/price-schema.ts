import { z } from "zod";
import { address, chainName, durationMs, matching, truth, url, usdPrice } from "./fields.ts";

// The settings of prices in chainbell.yaml.

/** Where the price of one asset comes from. */
export const price = z
  .strictObject({
    usd: usdPrice("A fixed price: US dollars for one whole unit.").optional(),
    chainlink: address("The address of a Chainlink feed of its price in US dollars.").optional(),
    heartbeat: durationMs(
      7 * 86_400_000,
      "The feed's heartbeat, such as 1h. A price that is more than two minutes older is not used.",
    ).optional(),
    chain: chainName.optional().meta({
      description: "The configured chain that the feed is on. Default: the asset's own chain.",
    }),
    http: matching(
      /^[\x21-\x2b\x2d-\x7e]{1,200}$/,
      "the source's key of the asset, such as coingecko:ethereum or ethereum:0x…",
      "The asset's key at the HTTP source of `prices.http`.",
    ).optional(),
    stable: truth(
      "true: the asset is a stablecoin. It counts as exactly 1 US dollar while its feed or HTTP source is within 0.5 % of 1. Without either, it always does.",
    ).optional(),
  })
  .superRefine((given, context) => {
    const sources = [given.usd, given.chainlink, given.http].filter((one) => one !== undefined);
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (sources.length > 1) refuse([], "expected one of usd, chainlink and http");
    if (sources.length === 0 && given.stable !== true) {
      refuse([], "expected usd, chainlink, http or stable");
    }
    if (given.usd !== undefined && given.stable === true) {
      refuse(["stable"], "only goes with chainlink or http: a price in usd is fixed");
    }
    if (given.chainlink !== undefined && given.heartbeat === undefined) {
      refuse(["heartbeat"], "is required beside chainlink, such as 1h");
    }
    for (const name of ["heartbeat", "chain"] as const) {
      if (given.chainlink === undefined && given[name] !== undefined) {
        refuse([name], "belongs to chainlink");
      }
    }
  })
  .meta({
    description:
      "The source of the asset's price. An asset without a price is left out of the net worth and listed as unpriced.",
  });

export type FilePrice = z.output<typeof price>;

/** The public service that defines the format of these answers. */
export const defaultPriceUrl = "https://coins.llama.fi";

/** The settings for reading prices. */
export const prices = z.strictObject({
  refresh: durationMs(
    3_600_000,
    "The pause between two readings of prices. Default: 1m.",
    100,
  ).optional(),
  http: z
    .strictObject({
      url: url(
        ["http:", "https:"],
        `A source that answers in DefiLlama's format. Default: ${defaultPriceUrl}.`,
      ).optional(),
      max_age: durationMs(
        7 * 86_400_000,
        "The greatest age of a price. An older one is not used. Default: 1h.",
      ).optional(),
      min_confidence: matching(
        /^(0(\.\d{1,4})?|1(\.0{1,4})?)$/,
        "a decimal from 0 to 1",
        "The least confidence of a price, from 0 to 1, in the source's own measure. A price with less is not used. Default: 0.9.",
      ).optional(),
    })
    .optional(),
});
