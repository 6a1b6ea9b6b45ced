import { z } from "zod";
import {
  type ApiKey,
  type ApiKeyRecord,
  newApiKey,
  recordOfApiKey,
} from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { createdKey, presentCreatedKey } from "../../schema/api-key.ts";
import { defineChange } from "../define-verb.ts";
import { argument, block, optional, type Reader } from "../parameter.ts";

type Rotation = { id: string; overlapMs: number; record: ApiKeyRecord };

type Ledger = { rotateApiKey: (rotation: Rotation) => Promise<ApiKey> };

type Input = { id: string; overlapHours: number | undefined };

const defaultOverlapHours = 24;
const mostHours = 720;
const rule = `expected a whole number of hours from 0 to ${mostHours}`;

const hours: Reader<number> = { ...block, expected: `E${rule.slice(1)}.` };

/**
 * Replaces a key by a new one with the same limits. Each call makes another one.
 * @throws Fault `api_key_not_found`
 */
export const keyRotate = defineChange({
  noun: "key",
  http: {
    method: "POST",
    path: "/api-keys/:id/rotate",
    summary: "A new API key with the same limits; both are taken while they overlap",
    body: z.strictObject({ overlap_hours: z.int(rule).optional() }).nullish(),
    status: 201,
    input: ({ params, body }) => ({ id: params.id, overlapHours: body?.overlap_hours }),
  },
  cli: {
    name: "rotate",
    help: "Replace an API key, by its id. The new one is shown now and never again.",
    examples: ["key rotate 018f… --overlap-hours 48"],
    takes: {
      id: argument("<id>", "the id of the key"),
      overlapHours: optional(
        "--overlap-hours <hours>",
        hours,
        "the hours for which both keys work (24)",
      ),
    },
  },
  check: ({ id, overlapHours = defaultOverlapHours }: Input) => {
    if (overlapHours < 0 || overlapHours > mostHours) throw invalidField("overlap_hours", rule);
    const overlapMs = overlapHours * 3_600_000;
    return { id: requireId(id, "api_key_not_found"), overlapMs, key: newApiKey() };
  },
  call: (ledger: Ledger, { id, overlapMs, key }) =>
    ledger.rotateApiKey({ id, overlapMs, record: recordOfApiKey(key) }),
  audit: {
    action: "key.rotate",
    describe: ({ id: replacedBy, businessId, prefix }, { id, overlapMs }) => ({
      subject: id,
      details: { businessId, replacedBy, prefix, overlapHours: overlapMs / 3_600_000 },
    }),
  },
  answer: createdKey,
  present: (created, { key }) => presentCreatedKey(created, key),
});
