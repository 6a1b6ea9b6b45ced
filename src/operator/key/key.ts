import { z } from "zod";
import type { ApiKey } from "../../domain/business/api-key.ts";
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
  };
}
