import {
  type ApiKey,
  type NewApiKey,
  newApiKey,
  recordOfApiKey,
} from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import { requireNameText } from "../../domain/text.ts";
import {
  createdKey,
  createdKeyAnswer,
  createdKeyBody,
  presentCreatedKey,
} from "../../schema/api-key.ts";
import {
  checkLimits,
  grantedKeyBody,
  type LimitsInput,
  presentLimits,
} from "../../schema/key-limits.ts";
import { defineChange } from "../define-verb.ts";
import { count, optional, required, text, words } from "../parameter.ts";

type Ledger = { createApiKey: (key: NewApiKey) => Promise<ApiKey> };

type Ports = { clock: { now: () => number } };

type Input = LimitsInput & { businessId: string; label: string | undefined };

/**
 * Makes a new key. Each call makes another one.
 * @throws Fault `business_not_found`, `invalid_request`, `limit_reached`
 */
export const keyCreate = defineChange({
  noun: "key",
  http: {
    method: "POST",
    path: "/businesses/:id/api-keys",
    summary: "Create an API key",
    body: grantedKeyBody,
    status: 201,
    refuses: ["limit_reached"],
    input: ({ params, body }) => ({
      businessId: params.id,
      label: body?.label,
      scopes: body?.scopes,
      networks: body?.networks,
      expiresAt: body?.expires_at,
      maxWallets: body?.max_wallets,
    }),
    whole: { schema: createdKeyAnswer, of: createdKeyBody },
  },
  cli: {
    name: "create",
    help: "Create an API key. It is shown now and never again.",
    examples: [
      "key create --business 018f… --label production",
      "key create --business 018f… --scope wallets:write --max-wallets 10000",
      "key create --business 018f… --scope read --network 203.0.113.0/24 --expires-at 2027-01-31T00:00:00Z",
    ],
    takes: {
      businessId: required("--business <id>", text, "whose key it is"),
      label: optional("--label <label>", text, "a note of its purpose"),
      scopes: optional(
        "--scope <words>",
        words,
        "read, credits, webhooks, notifications, wallets:write; all but the last if left out",
      ),
      networks: optional(
        "--network <cidrs>",
        words,
        "the address ranges that may use it, with commas between them; any if left out",
      ),
      expiresAt: optional(
        "--expires-at <time>",
        text,
        "the time of its end, such as 2027-01-31T00:00:00Z; never if left out",
      ),
      maxWallets: optional(
        "--max-wallets <n>",
        count,
        "with wallets:write: the most wallets that the business may then have",
      ),
    },
  },
  check: ({ businessId, label, ...limits }: Input, { clock }: Ports) => ({
    limits: checkLimits(limits, clock.now()),
    label: label === undefined ? null : requireNameText(label, "label"),
    businessId: requireId(businessId, "business_not_found"),
    key: newApiKey(),
  }),
  call: (ledger: Ledger, { businessId, label, key, limits }) =>
    ledger.createApiKey({ businessId, label, record: recordOfApiKey(key), limits }),
  audit: {
    action: "key.create",
    describe: ({ id, prefix }, { businessId, label, limits }) => ({
      subject: id,
      details: { businessId, label, prefix, ...presentLimits(limits) },
    }),
  },
  answer: createdKey,
  present: (created, { key }) => presentCreatedKey(created, key),
});
