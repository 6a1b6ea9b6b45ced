import { z } from "zod";
import {
  type ApiKey,
  type ApiKeyRecord,
  type KeyLimits,
  newApiKey,
  recordOfApiKey,
} from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import { requirePlainText } from "../../domain/text.ts";
import { answer, idText } from "../../schema/answers.ts";
import { defineChange } from "../define-verb.ts";
import { optional, required, text, words } from "../take.ts";
import { presentKey, shownKey } from "./key.ts";
import { checkLimits, type LimitsInput, limitsBody, presentLimits } from "./limits.ts";

type NewKey = {
  businessId: string;
  label: string | null;
  record: ApiKeyRecord;
  limits: KeyLimits;
};

type Ledger = { createApiKey: (key: NewKey) => Promise<ApiKey> };

type Input = LimitsInput & { businessId: string; label: string | undefined };

export const createdKey = z
  .object({
    ...shownKey.shape,
    key: z.string().meta({ description: "The key itself: shown here and never again." }),
  })
  .meta({ id: "NewApiKey" });

/** A new key. Each call makes another one. @throws Fault `business_not_found`, `invalid_request` */
export const keyCreate = defineChange({
  noun: "key",
  http: {
    method: "POST",
    path: "/businesses/:id/api-keys",
    summary: "Create an API key",
    // A key needs no label, so the body may be left out altogether.
    body: z
      .strictObject({ label: z.string("expected a text").optional(), ...limitsBody })
      .nullish(),
    status: 201,
    input: ({ params, body }) => ({
      businessId: params.id,
      label: body?.label,
      scopes: body?.scopes,
      networks: body?.networks,
      expiresAt: body?.expires_at,
    }),
    // The contract names id and key themselves; every other answer, and whoever reads them alike, has `data`.
    whole: {
      schema: answer({ id: idText, key: z.string(), data: createdKey }),
      of: (data) => ({ success: true as const, id: data.id, key: data.key, data }),
    },
  },
  cli: {
    name: "create",
    help: "Create an API key. It is shown now and never again.",
    examples: [
      "key create --business 018f… --label production",
      "key create --business 018f… --scope read --network 203.0.113.0/24 --expires-at 2027-01-31T00:00:00Z",
    ],
    takes: {
      businessId: required("--business <id>", text, "whose key it is"),
      label: optional("--label <label>", text, "what it is for"),
      scopes: optional("--scope <words>", words, "read, webhooks, notifications; all if left out"),
      networks: optional("--network <cidrs>", words, "from where alone it may be used"),
      expiresAt: optional("--expires-at <time>", text, "until when, such as 2027-01-31T00:00:00Z"),
    },
  },
  check: ({ businessId, label, ...limits }: Input) => ({
    limits: checkLimits(limits),
    label: label === undefined ? null : requirePlainText(label, "label"),
    businessId: requireId(businessId, "business_not_found"),
    key: newApiKey(),
  }),
  call: ({ ledger }: { ledger: Ledger }, { businessId, label, key, limits }) =>
    ledger.createApiKey({ businessId, label, record: recordOfApiKey(key), limits }),
  audit: {
    action: "key.create",
    describe: ({ id, prefix }, { businessId, label, limits }) => ({
      subject: id,
      details: { businessId, label, prefix, ...presentLimits(limits) },
    }),
  },
  answer: createdKey,
  present: (created, { key }) => {
    const { id, ...shown } = presentKey(created);
    return { id, key, ...shown };
  },
});
