import { z } from "zod";
import { type ApiKey, type IssuedToken, keyScopes } from "../domain/business/api-key.ts";
import { keysOf } from "../domain/keys-of.ts";
import { answer, count, idText, timeText } from "./answers.ts";

/** An API key as lists show it: never the key itself. */
export const shownKey = z
  .object({
    id: idText,
    business_id: idText,
    label: z.string().nullable(),
    prefix: z
      .string()
      .meta({ description: "The first characters of the key, by which you recognise it." }),
    created_at: timeText,
    revoked_at: timeText.nullable(),
    expires_at: timeText.nullable(),
    last_used_at: timeText
      .nullable()
      .meta({ description: "When the key was last used, to the minute. Null: never." }),
    scopes: z.array(z.enum(keysOf(keyScopes))).meta({
      description:
        "The scopes of the key: it may use only their routes. Empty: all scopes except `wallets:write`.",
    }),
    networks: z
      .array(z.string())
      .meta({ description: "The CIDR blocks from which the key works. Empty: from everywhere." }),
    max_wallets: count.nullable().meta({
      description:
        "For a key with `wallets:write`: the most wallets that the business may have after the key added some. Null: the key may not add wallets.",
    }),
  })
  .meta({ id: "ApiKey" });

export function presentKey(key: ApiKey): z.output<typeof shownKey> {
  return {
    id: key.id,
    business_id: key.businessId,
    label: key.label,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    scopes: [...key.scopes],
    networks: [...key.networks],
    max_wallets: key.maxWallets,
  };
}

export const tokenId = idText.meta({ description: "The id of the access token: its claim `jti`." });

/** An access token as lists show it: never the token itself. */
export const shownToken = z
  .object({
    id: tokenId,
    created_at: timeText,
    expires_at: timeText,
    address: z.string().meta({
      description: "The address of the client that asked for the token.",
      examples: ["203.0.113.7"],
    }),
  })
  .meta({ id: "AccessToken" });

export function presentToken(token: IssuedToken): z.output<typeof shownToken> {
  return {
    id: token.id,
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt.toISOString(),
    address: token.address,
  };
}

export const createdKey = z
  .object({
    ...shownKey.shape,
    key: z
      .string()
      .meta({ description: "The key itself. It is shown here and never again: store it now." }),
  })
  .meta({ id: "NewApiKey" });

/**
 * Only this answer has `id` and `key` at the top level, as the contract says. Every other answer,
 * and code that reads them alike, uses `data`.
 */
export const createdKeyAnswer = answer({
  id: idText,
  key: z.string(),
  data: createdKey,
}).meta({ id: "NewApiKeyAnswer" });

export function createdKeyBody(data: z.output<typeof createdKey>) {
  return { success: true as const, id: data.id, key: data.key, data };
}

export function presentCreatedKey(created: ApiKey, key: string): z.output<typeof createdKey> {
  const { id, ...shown } = presentKey(created);
  return { id, key, ...shown };
}
