import { z } from "zod";
import { isId } from "../../domain/id.ts";
import { alerts } from "./alert-schema.ts";
import { chain } from "./chain-schema.ts";
import { cidr, durationMs, field, integer, oneOf, truth, url } from "./fields.ts";
import { prices } from "./price-schema.ts";
import { isOrigin, operatorSignIn, originRule } from "./sign-in-schema.ts";

// The schema of chainbell.yaml. Names are those of the file (snake_case). to-config.ts turns the
// result into a Config.

/** The longest wait between two attempts. */
const maxDelayMs = 7 * 86_400_000;

const port = integer({ min: 1, max: 65_535, description: "A TCP port." });

const businessId = field({ type: "string", format: "uuid" }, (text) =>
  isId(text) ? { value: text.toLowerCase() } : { fault: "expected the id of a business" },
);

const webhooks = z.strictObject({
  schedule: z
    .array(durationMs(maxDelayMs, "The wait after the attempt before, such as 5s, 5m or 2h."))
    .min(1, "expected at least one attempt")
    .max(50, "expected at most 50 attempts")
    .optional()
    .meta({
      description:
        "The wait before each attempt, counted from the attempt before. The first entry is the first attempt. Default: 0s, 5s, 5m, 30m, 2h, 5h, 10h, 14h, 20h, 24h.",
    }),
  allow: z
    .array(
      z.strictObject({
        cidr: cidr("The addresses to which webhooks may point although they are not public."),
        ports: z.array(port).max(100).optional().meta({
          description:
            "The ports that are open there. Default: 443 and `webhooks.ports`, and 80 where http is allowed.",
        }),
        http: truth("true: http is allowed there beside https. Default: false.").optional(),
        businesses: z
          .array(businessId)
          .min(1, "expected at least one business")
          .max(1_000, "expected at most 1,000 businesses")
          .optional()
          .meta({
            description: "The ids of the businesses to which the exception applies. Default: all.",
          }),
      }),
    )
    .max(100, "expected at most 100 exceptions")
    .optional()
    .meta({ description: "Exceptions to the rule that a webhook must be a public https address." }),
  deny: z
    .array(cidr("Addresses to which no webhook may point, whatever else is open."))
    .max(1_000, "expected at most 1,000 blocks")
    .optional()
    .meta({ description: "The addresses that are refused beside all that are not public." }),
  origins: z
    .array(cidr("Addresses from which this installation notifies."))
    .max(100, "expected at most 100 blocks")
    .optional()
    .meta({
      description:
        "The addresses from which notifications come. Businesses see them at GET /webhooks/origins. Chainbell does not check them.",
    }),
  proxy: url(
    ["http:", "https:"],
    "A proxy that knows CONNECT, such as Smokescreen, through which every webhook is notified. Default: none.",
  ).optional(),
  ports: z
    .array(port)
    .max(100)
    .optional()
    .meta({ description: "The ports to which webhooks may point beside 443." }),
  in_flight: integer({
    min: 1,
    max: 1_000,
    description: "The most deliveries of one business that may be in flight at once. Default: 10.",
  }).optional(),
  concurrency: integer({
    min: 1,
    max: 10_000,
    description: "The most deliveries that one dispatcher sends at once. Default: 200.",
  }).optional(),
});

const limits = z
  .strictObject({
    webhooks: integer({
      min: 1,
      max: 100,
      description: "The most webhooks that a business may have at once. Default: 16.",
    }).optional(),
  })
  .meta({ description: "The limits of each business." });

const rateLimit = z
  .strictObject({
    per_second: integer({
      min: 1,
      max: 100_000,
      description: "The requests per second that one business may make on average. Default: 100.",
    }).optional(),
    burst: integer({
      min: 1,
      max: 1_000_000,
      description: "The requests that one business may make at once. Default: 200.",
    }).optional(),
  })
  .meta({
    description:
      "The limit of requests, the same for each business. Its keys, tokens and sessions share it, in all processes. Requests above it get 429 with Retry-After.",
  });

const dayMs = 86_400_000;

/**
 * A notification must be stored as long as it may be retried or asked about, or its transaction
 * reversed.
 */
const minRetentionMs = 30 * dayMs;
const maxRetentionMs = 10_000 * dayMs;

const retention = z
  .strictObject({
    notifications: durationMs(
      maxRetentionMs,
      "The age at which notifications are deleted with their attempts, unless a delivery still waits. Default: never.",
      minRetentionMs,
    ).optional(),
    attempts: durationMs(
      maxRetentionMs,
      "The age at which attempts are deleted with the receiver's answer, once their delivery is over. Default: with their notification.",
      dayMs,
    ).optional(),
  })
  .meta({
    description:
      "The age at which rows are deleted. Transactions, ledger entries and the audit trail never are.",
  });

export const fileSchema = z
  .strictObject({
    chains: z.array(chain).max(100, "expected at most 100 chains").optional(),
    queue: oneOf(
      ["redis", "postgres"],
      "The store of the queue. Default: redis if REDIS_URL is set, else postgres.",
    ).optional(),
    webhooks: webhooks.optional(),
    prices: prices.optional(),
    rate_limit: rateLimit.optional(),
    limits: limits.optional(),
    retention: retention.optional(),
    trusted_proxies: z
      .array(
        cidr("The addresses of a reverse proxy that says who the client is, in x-forwarded-for."),
      )
      .max(100, "expected at most 100 blocks")
      .optional()
      .meta({
        description:
          "The reverse proxies before this service, whose x-forwarded-for is believed. Without them a client's address is that of the connection.",
      }),
    allowed_origins: z
      .array(z.string(originRule).refine(isOrigin, originRule))
      .max(100, "expected at most 100 origins")
      .optional()
      .meta({
        description:
          "The origins of pages that may use the API from a browser, with access tokens. Without them no page may.",
      }),
    console: truth("true: /console is served. Default: true.").optional(),
    operator_sign_in: operatorSignIn.optional(),
    alerts: alerts.optional(),
    access_token_lifetime: durationMs(
      86_400_000,
      "The lifetime of an access token. Default: 15m.",
      1_000,
    ).optional(),
  })
  .meta({ title: "Chainbell configuration" });

export type FileConfig = z.output<typeof fileSchema>;
export type FileChain = NonNullable<FileConfig["chains"]>[number];
export type FileWebhooks = NonNullable<FileConfig["webhooks"]>;
