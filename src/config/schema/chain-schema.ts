import { z } from "zod";
import {
  receiptsProofs,
  tracingModes,
  type UnreadablePolicy,
  unreadableChoices,
} from "../../domain/chain/block-proof.ts";
import { readings } from "../../domain/chain/chain-rules.ts";
import {
  type ConfirmationPolicy,
  confirmationTags,
  usualWitness,
  witnessModes,
} from "../../domain/chain/confirmation.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import { assetKinds, defaultAssetKind } from "../../domain/money/asset.ts";
import {
  address,
  chainName,
  durationMs,
  field,
  hash,
  integer,
  lengthMs,
  matching,
  oneOf,
  type Reading,
  truth,
  url,
} from "./fields.ts";
import { price } from "./price-schema.ts";

// The settings of one chain in chainbell.yaml.

const assetCode = matching(
  /^[^\s\p{C}]{1,32}$/u,
  "1 to 32 characters without spaces",
  "The asset's code in the API and in notifications.",
);

/**
 * Short enough for chains with a block every second or two. It makes 86,400 small requests a day.
 */
export const defaultPollMs = 1_000;

/** The stored block hashes grow with the depth. No chain in use needs more. */
const maxConfirmations = 10_000;

/** A number without a unit is a depth. */
const durationPattern = /^\d{1,9}(ms|s|m|h|d)$/;

/** Longer than any chain in use needs to be final. */
const maxAgeMs = 86_400_000;

const confirmations = field(
  {
    anyOf: [
      { type: "integer", minimum: 0, maximum: maxConfirmations },
      { type: "string", enum: confirmationTags },
      { type: "string", pattern: durationPattern.source },
      { type: "string", pattern: "\\$\\{.+\\}" },
    ],
    description:
      "The depth at which a transaction is confirmed. A number of blocks, its own included (0 means 1). Or a length of time such as 2m, by the times of the blocks. Or the chain's own `safe` or `finalized` block. Default: what suits the chain.",
  },
  (text): Reading<ConfirmationPolicy> => {
    const tag = confirmationTags.find((word) => word === text);
    if (tag !== undefined) return { value: { kind: "tag", tag } };
    const ageMs = durationPattern.test(text) ? lengthMs(text) : null;
    if (ageMs !== null && ageMs <= maxAgeMs) return { value: { kind: "age", ageMs } };
    const depth = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (depth <= maxConfirmations) return { value: { kind: "depth", depth: Math.max(1, depth) } };
    const fault = `expected a depth from 0 to ${maxConfirmations}, a length of time such as 2m (at most a day), safe or finalized`;
    return { fault, code: "confirmations", values: { most: String(maxConfirmations) } };
  },
);

const nativeAsset = z.union([
  z.literal("none"),
  z.strictObject({
    code: assetCode.optional(),
    decimals: integer({
      min: 18,
      max: 18,
      description: "The number of decimals of the coin. It is always 18 on an EVM chain.",
    }).optional(),
    price: price.optional(),
  }),
]);

const kindsDescription = `The way in which balances of the token change. Default: ${defaultAssetKind}. ${meaningsIn(assetKinds)}`;

const asset = z.strictObject({
  code: assetCode,
  address: address("The address of the token's contract."),
  decimals: integer({
    min: 0,
    max: 77,
    description:
      "The number of decimals of the token. It must be what the contract's decimals() answers.",
  }),
  kind: oneOf(keysOf(assetKinds), kindsDescription).optional(),
  price: price.optional(),
});

const choice = (of: string) =>
  oneOf(unreadableChoices, `${of} \`required\` (default) or \`agreed\`.`);

const unreadable = z
  .union([
    choice("The treatment of both.").transform(
      (both): UnreadablePolicy => ({ header: both, contents: both }),
    ),
    z.strictObject({
      header: choice("The treatment of a header with unknown fields.").optional(),
      contents: choice("The treatment of transactions of an unknown type.").optional(),
    }),
  ])
  .meta({
    description:
      "The treatment of a block that this version cannot read, as after a fork. `required`: the chain stops. `agreed`: it goes on where endpoints of two hosts answer the same, and each such transaction is marked.",
  });

const rpcUrl = url(["http:", "https:", "ws:", "wss:"], "A JSON-RPC endpoint of the chain.");

const endpoint = z.union(
  [
    rpcUrl,
    z.strictObject({
      url: rpcUrl,
      provider: matching(
        /^[a-z0-9][a-z0-9-]{0,39}$/,
        "a word of lower-case letters, digits and hyphens, at most 40 characters",
        "The company that runs the endpoint, such as alchemy. Endpoints with the same label count as one host where endpoints must agree. Default: the URL's host and port.",
      ).optional(),
    }),
  ],
  {
    error:
      "expected a URL that begins with http://, https://, ws:// or wss://, or a map of url and provider",
  },
);

/**
 * Finds a difference within half an hour. A hundred thousand balances need a few hundred requests.
 */
export const defaultReconcileMs = 600_000;

const maxReconcileMs = 7 * 86_400_000;

/** With a longer pause, deposits would be found too late. */
const maxPollMs = 60_000;

/** If a second endpoint is missing for a week, it will not come back. */
const maxPatienceMs = 7 * 86_400_000;

/** The most endpoints of one chain. */
const maxEndpoints = 16;

const witness = z
  .strictObject({
    patience: durationMs(
      maxPatienceMs,
      "The time for which a confirmation waits for other endpoints that do not answer. A contradiction is never passed over. Default: 10m.",
    ).optional(),
    mode: oneOf(
      keysOf(witnessModes),
      `The next step when \`patience\` has passed. Default: ${usualWitness.mode}. ${meaningsIn(witnessModes)}`,
    ).optional(),
    count: integer({
      min: 2,
      max: maxEndpoints,
      description: `The number of hosts that must agree, with the one from which blocks are read. Default: ${usualWitness.count}.`,
    }).optional(),
  })
  .meta({
    description:
      "The agreement of endpoints that is needed to confirm, undo or reverse anything. It matters on a chain with endpoints of several hosts.",
  });

/** One entry of `chains`. */
export const chain = z.strictObject({
  name: chainName,
  chain_id: integer({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: "The EIP-155 id of the chain. Every endpoint must answer with it.",
  }),
  rpc: z
    .array(endpoint)
    .min(1, "expected at least one URL")
    .max(maxEndpoints, `expected at most ${maxEndpoints} URLs`)
    .meta({
      description:
        "The endpoints of the chain, one or more. With several, nothing is confirmed before two of them have the same block. Two URLs of one host and port, or of one provider, count as one.",
    }),
  witness: witness.optional(),
  confirmations: confirmations.optional(),
  genesis_hash: hash(
    "The hash of the chain's first block. Endpoints with another one are not used. Default: that of the public chain with this chain_id; of other chains, the one that endpoints agree on.",
  ).optional(),
  tracing: oneOf(
    tracingModes,
    "The way internal transfers are read: `debug` (debug_traceBlockByHash), `parity` (trace_block) or `off`. Default: `auto`, what the endpoints offer.",
  ).optional(),
  reading: oneOf(
    keysOf(readings),
    `The number of requests that the endpoints get. Default: full. ${meaningsIn(readings)}`,
  ).optional(),
  receipts: oneOf(
    receiptsProofs,
    "The way in which receipts are proved. `root`: the block's receiptsRoot. `root-op`: the same on an OP-stack chain. `bloom`: the block's logsBloom. `none`: no proof. `settled`: the block proves only its transactions, and its roots are of earlier blocks (ACP-194). Default: the proof that suits the chain.",
  ).optional(),
  proof: unreadable.optional(),
  start_block: integer({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "The number of the first block that is processed. Default: the head at the first start. If a wallet was added before, the first block after its addition.",
  }).optional(),
  poll_interval: durationMs(
    maxPollMs,
    "The pause between two requests for the newest block, such as 500ms or 2s. It applies to an endpoint that announces no blocks. Default: 1s.",
    10,
  ).optional(),
  reconcile_interval: durationMs(
    maxReconcileMs,
    "The pause between two comparisons of the ledger with the chain, such as 10m. Default: 10m.",
    1_000,
  ).optional(),
  balance_check: truth(
    "true: before coin is confirmed, a wallet's movements in the block must match the change of its balance. It applies only to chains that are traced. Default: true.",
  ).optional(),
  sequencer_feed: address(
    "The address of the Chainlink feed that reports the state of an L2's sequencer. While the sequencer is down, no feed on this chain is used.",
  ).optional(),
  native_asset: nativeAsset.optional().meta({
    description:
      "The chain's own coin. Its code may be left out for a well-known chain. `none`: the chain has no coin, as Tempo.",
  }),
  assets: z.array(asset).max(1_000, "expected at most 1000 assets").optional(),
});
