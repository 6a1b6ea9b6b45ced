import { z } from "zod";
import { receiptsProofs, tracingModes } from "../domain/chain/block-proof.ts";
import { type ConfirmationPolicy, confirmationTags } from "../domain/chain/confirmation.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import { assetKinds, defaultAssetKind } from "../domain/money/asset.ts";
import {
  address,
  cidr,
  durationMs,
  field,
  integer,
  matching,
  oneOf,
  type Reading,
  truth,
  url,
  usdPrice,
} from "./fields.ts";

// What chainbell.yaml may say. Names are the file's own (snake_case); config.ts turns the result into Config.

/** Names stand in URLs, in notifications and in commands. */
const chainName = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  "1 to 63 letters, digits, dots, dashes or underscores",
  "What `blockchain` says in the API and in notifications.",
);

const assetCode = matching(
  /^[^\s\p{C}]{1,32}$/u,
  "1 to 32 characters without spaces",
  "The code under which the API counts the asset.",
);

const price = z
  .strictObject({
    usd: usdPrice("US dollars for one whole unit; it never changes.").optional(),
    chainlink: address("A Chainlink feed of its price in US dollars.").optional(),
    heartbeat: durationMs(
      7 * 86_400_000,
      "How often the feed is written at least; an older answer counts as none.",
    ).optional(),
    chain: chainName.optional().meta({
      description:
        "The configured chain that the feed is on; the asset's own where nothing is said.",
    }),
    http: matching(
      /^[\x21-\x2b\x2d-\x7e]{1,200}$/,
      "the source's key of the asset, such as coingecko:ethereum or ethereum:0x…",
      "Its key at the HTTP source that `prices.http` names.",
    ).optional(),
    stable: truth(
      "A stablecoin: worth 1 while its feed or HTTP source, if it has one, is within 0.5 % of that.",
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
      refuse(["stable"], "is for chainlink and http; a price in usd never changes");
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
  .meta({ description: "Without a price the asset is left out of the net worth and named there." });

/** Soon enough for chains with blocks every second or two, and 86,400 small requests a day. */
export const defaultPollMs = 1_000;

/** The window of block hashes grows with the depth; no chain in use needs more. */
const maxConfirmations = 10_000;

const confirmations = field(
  {
    anyOf: [
      { type: "integer", minimum: 0, maximum: maxConfirmations },
      { type: "string", enum: confirmationTags },
      { type: "string", pattern: "\\$\\{.+\\}" },
    ],
    description:
      "How many blocks deep a transaction must lie, itself included (0 means 1), or `safe` or `finalized`: what the chain calls so. By default what suits the chain.",
  },
  (text): Reading<ConfirmationPolicy> => {
    const tag = confirmationTags.find((word) => word === text);
    if (tag !== undefined) return { value: { kind: "tag", tag } };
    const depth = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    return depth <= maxConfirmations
      ? { value: { kind: "depth", depth: Math.max(1, depth) } }
      : { fault: `expected a depth from 0 to ${maxConfirmations}, safe or finalized` };
  },
);

const nativeAsset = z.strictObject({
  code: assetCode.optional(),
  decimals: integer({ min: 18, max: 18, description: "18 on every EVM chain." }).optional(),
  price: price.optional(),
});

const kindsDescription = `How the token behaves; ${defaultAssetKind} where nothing is said. ${meaningsIn(assetKinds)}`;

const asset = z.strictObject({
  code: assetCode,
  address: address("The token contract."),
  decimals: integer({ min: 0, max: 77, description: "As the token contract says." }),
  kind: oneOf(keysOf(assetKinds), kindsDescription).optional(),
  price: price.optional(),
});

const rpcUrl = url(["http:", "https:", "ws:", "wss:"], "A JSON-RPC endpoint of the chain.");

/** A difference is then known of within the half hour, and a hundred thousand holdings are a few hundred calls. */
export const defaultReconcileMs = 600_000;

const maxReconcileMs = 7 * 86_400_000;

/** Slower than this, nobody would call it watching. */
const maxPollMs = 60_000;

const chain = z.strictObject({
  name: chainName,
  chain_id: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, description: "EIP-155 chain id." }),
  rpc: z
    .array(rpcUrl)
    .min(1, "expected at least one URL")
    .max(16, "expected at most 16 URLs")
    .meta({ description: "One or more endpoints; more than one are checked against each other." }),
  confirmations: confirmations.optional(),
  tracing: oneOf(
    tracingModes,
    "How internal transfers are read: debug_traceBlockByHash, trace_block, or not at all; `auto`, the default, takes what the endpoints offer.",
  ).optional(),
  receipts: oneOf(
    receiptsProofs,
    "How receipts are proved: by the block's receiptsRoot (root-op: of an OP-stack chain), by its logsBloom, or not at all. By default what suits the chain.",
  ).optional(),
  start_block: integer({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: "The first block looked at; where nothing is said, the first head seen.",
  }).optional(),
  poll_interval: durationMs(
    maxPollMs,
    "How often an endpoint that announces nothing is asked for its head, for example 500ms, 2s.",
  ).optional(),
  reconcile_interval: durationMs(
    maxReconcileMs,
    "How long after one comparison of the ledger with the chain the next begins. Ten minutes where nothing is said.",
  ).optional(),
  balance_check: truth(
    "Whether what a wallet moves of the coin in a block must add up to its balance's change before it is confirmed; true where nothing is said. Only where blocks are traced.",
  ).optional(),
  sequencer_feed: address(
    "Of an L2: the Chainlink feed that says whether its sequencer is up. While it is not, no feed there is believed.",
  ).optional(),
  native_asset: nativeAsset.optional().meta({
    description:
      "The chain's own coin; it has 18 decimals. Its code may be left out for a chain that is known.",
  }),
  assets: z.array(asset).max(1_000, "expected at most 1000 assets").optional(),
});

/** No attempt waits longer than this for the next one. */
const maxDelayMs = 7 * 86_400_000;

const port = integer({ min: 1, max: 65_535, description: "A TCP port." });

const webhooks = z.strictObject({
  schedule: z
    .array(durationMs(maxDelayMs, "How long after the one before, for example 5s, 5m, 2h."))
    .min(1, "expected at least one attempt")
    .max(50, "expected at most 50 attempts")
    .optional()
    .meta({ description: "When a notification is attempted, each after the one before." }),
  allow: z
    .array(
      z.strictObject({
        cidr: cidr("Addresses that may be notified although they are not public."),
        ports: z
          .array(port)
          .max(100)
          .optional()
          .meta({ description: "Where nothing is said: the ports that are open anyway." }),
        http: truth(
          "Whether http is allowed there beside https; false where nothing is said.",
        ).optional(),
      }),
    )
    .max(100, "expected at most 100 exceptions")
    .optional()
    .meta({ description: "Exceptions from the rule that a webhook is a public https address." }),
  ports: z.array(port).max(100).optional().meta({ description: "Ports allowed beside 443." }),
  in_flight: integer({
    min: 1,
    max: 1_000,
    description: "Deliveries of one business under way at once; 10 where nothing is said.",
  }).optional(),
  concurrency: integer({
    min: 1,
    max: 10_000,
    description: "Deliveries that one dispatcher sends at once; 200 where nothing is said.",
  }).optional(),
});

/** The public service whose answers this shape is named after. */
export const defaultPriceUrl = "https://coins.llama.fi";

const prices = z.strictObject({
  refresh: durationMs(3_600_000, "How often prices are read; 1m where nothing is said.").optional(),
  http: z
    .strictObject({
      url: url(
        ["http:", "https:"],
        `In DefiLlama's shape; ${defaultPriceUrl} where nothing is said.`,
      ).optional(),
      max_age: durationMs(
        7 * 86_400_000,
        "An older answer counts as none; 1h where nothing is said.",
      ).optional(),
      min_confidence: matching(
        /^(0(\.\d{1,4})?|1(\.0{1,4})?)$/,
        "a decimal from 0 to 1",
        "A less certain answer counts as none; 0.9 where nothing is said.",
      ).optional(),
    })
    .optional(),
});

const rateLimit = z
  .strictObject({
    per_second: integer({
      min: 1,
      max: 100_000,
      description: "Requests of one API key, on average; 100 where nothing is said.",
    }).optional(),
    burst: integer({
      min: 1,
      max: 1_000_000,
      description: "Requests of one API key at once; 200 where nothing is said.",
    }).optional(),
  })
  .meta({ description: "Shared by all processes; more is answered with 429 and Retry-After." });

const dayMs = 86_400_000;

/** What may still be reversed, retried or asked about keeps its notification. */
const minRetentionMs = 30 * dayMs;
const maxRetentionMs = 10_000 * dayMs;

const retention = z
  .strictObject({
    notifications: durationMs(
      maxRetentionMs,
      "How long a notification is kept, with its attempts, after nothing is to be delivered of it any more; for ever where nothing is said.",
    )
      .refine((ms) => ms >= minRetentionMs, "expected at least 30d")
      .optional(),
  })
  .meta({
    description:
      "What is forgotten, and when. Transactions, entries and the audit trail never are.",
  });

export const fileSchema = z
  .strictObject({
    chains: z.array(chain).max(100, "expected at most 100 chains").optional(),
    queue: oneOf(
      ["redis", "postgres"],
      "Where the queue lives; by default what REDIS_URL says.",
    ).optional(),
    webhooks: webhooks.optional(),
    prices: prices.optional(),
    rate_limit: rateLimit.optional(),
    retention: retention.optional(),
    access_token_lifetime: durationMs(
      86_400_000,
      "How long an access token opens the API; 15m where nothing is said.",
    ).optional(),
  })
  .meta({ title: "Chainbell configuration" });

export type FileConfig = z.output<typeof fileSchema>;
export type FileChain = NonNullable<FileConfig["chains"]>[number];
export type FilePrice = z.output<typeof price>;
export type FileWebhooks = NonNullable<FileConfig["webhooks"]>;
