import { z } from "zod";
import { fieldProblems } from "../../../../domain/field-problem.ts";
import { invalidField, invalidFields } from "../../../../domain/text.ts";
import { checkCertificate } from "../../../../domain/webhook/client-certificate.ts";
import { sealedPair } from "../../../../domain/webhook/ed25519.ts";
import {
  headerLimits,
  headersToLines,
  refusedHeader,
} from "../../../../domain/webhook/outbound.ts";
import type { WebhookChange } from "../../../../domain/webhook/registration.ts";
import { given } from "../../../../schema/fields.ts";
import { descriptionField, orderFields, orderOf, rateField } from "../../../../schema/webhook.ts";
import { filterField, filterOf } from "../../../../schema/webhook-filter.ts";

/** PEM of a certificate with its chain, or of a key. */
const pemField = z.string("expected PEM").max(20_000, "expected at most 20,000 characters");

/** The fields that a business may change in its webhook. */
export const webhookChangeBody = z
  .strictObject({
    url: z.string("expected a URL").optional(),
    description: descriptionField,
    is_active: z.boolean("expected true or false").optional(),
    rate: rateField,
    filter: filterField,
    ...orderFields,
    headers: z
      .record(z.string(), z.string("expected a text"), "expected an object of texts, or null")
      .nullable()
      .optional()
      .meta({
        description:
          "Headers that every request to the webhook has, by name. Their values are never shown. Null: none.",
      }),
    client_certificate: z
      .strictObject({ certificate: pemField, private_key: pemField })
      .nullable()
      .optional()
      .meta({
        description:
          "The client certificate for a receiver that asks for one (mTLS), PEM. Null: none.",
      }),
    ed25519: z.boolean("expected true or false").optional().meta({
      description:
        "True: each request also has an Ed25519 signature `v1a`. Verify it with `public_key`.",
    }),
  })
  .refine((body) => Object.keys(body).length > 0, "must have something to change");

type Body = z.output<typeof webhookChangeBody>;

/**
 * The change for the ledger, and its details for the audit trail. The details contain no header
 * value and no key.
 * @param seal encrypts for the business
 * @throws Fault `invalid_request` with the field
 */
export function webhookChangeOf(
  body: Body,
  options: { target: string | undefined; seal: (plain: string) => string; nowMs: number },
): { change: WebhookChange; details: Record<string, unknown> } {
  const { target: url, seal, nowMs } = options;
  const headers = sealedHeaders(body.headers, seal);
  const clientCertificate = sealedCertificate(body.client_certificate, { seal, nowMs });
  const simple = {
    ...given({
      url,
      description: body.description,
      isActive: body.is_active,
      rate: body.rate,
      filter: filterOf(body.filter),
    }),
    ...orderOf(body),
  };
  const change = {
    ...simple,
    ...given({ headers, clientCertificate, ed25519: pairOf(body, seal) }),
  };
  const shown = given({
    headers: headers?.names ?? headers,
    clientCertificate: clientCertificate?.fingerprint ?? clientCertificate,
    ed25519: body.ed25519,
  });
  return { change, details: { ...simple, ...shown } };
}

function sealedHeaders(
  headers: Body["headers"],
  seal: (plain: string) => string,
): WebhookChange["headers"] {
  if (headers === undefined || headers === null) return headers;
  const names = Object.keys(headers);
  if (names.length === 0) return null;
  const { count: most } = headerLimits;
  if (names.length > most) {
    const word = { code: "too_many" as const, values: { most } };
    throw invalidField("headers", `must have at most ${most} headers`, word);
  }
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw invalidField("headers", fieldProblems.each_once.rule);
  for (const [name, value] of Object.entries(headers)) {
    const refused = refusedHeader("headers", name, value);
    if (refused !== null) throw invalidFields(refused);
  }
  return { ciphertext: seal(headersToLines(headers)), names };
}

function sealedCertificate(
  given: Body["client_certificate"],
  { seal, nowMs }: { seal: (plain: string) => string; nowMs: number },
): WebhookChange["clientCertificate"] {
  if (given === undefined || given === null) return given;
  const { certificate, private_key: privateKey } = given;
  const checked = checkCertificate({ certificate, privateKey }, nowMs);
  if (checked.kind === "refused") throw invalidField("client_certificate", checked.reason);
  return { ciphertext: seal(checked.pem), ...checked.shown };
}

function pairOf({ ed25519 }: Body, seal: (plain: string) => string): WebhookChange["ed25519"] {
  if (ed25519 === undefined) return undefined;
  if (!ed25519) return null;
  return sealedPair(seal);
}
