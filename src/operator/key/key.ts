import { z } from "zod";
import { type ApiKey, keyScopes } from "../../domain/business/api-key.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { idText, timeText } from "../../schema/answers.ts";

/** An API key as an operator sees it: never the key itself. */
export const shownKey = z
  .object({
    id: idText,
    business_id: idText,
    label: z.string().nullable(),
    prefix: z.string().meta({ description: "The key's first characters." }),
    created_at: timeText,
    revoked_at: timeText.nullable(),
    expires_at: timeText.nullable(),
    last_used_at: timeText.nullable().meta({ description: "To the minute." }),
    scopes: z
      .array(z.enum(keysOf(keyScopes)))
      .meta({ description: "What it may do; none: everything." }),
    networks: z
      .array(z.string())
      .meta({ description: "CIDR blocks from which it may be used; none: everywhere." }),
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
  };
}
