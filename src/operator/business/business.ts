import { z } from "zod";
import type { Business } from "../../domain/business/business.ts";
import { idText, timeText } from "../../schema/answers.ts";

/** The name of a business, in every body and answer. */
export const businessName = z.string("expected a text").meta({ examples: ["Example Ltd"] });

/** A business as an operator sees it. */
export const shownBusiness = z
  .object({
    id: idText,
    name: businessName,
    verified_at: timeText.nullable(),
    suspended_at: timeText.nullable(),
    notify_pending: z.boolean(),
    in_flight: z.int().nullable().meta({ description: "Null: the configured default." }),
    created_at: timeText,
  })
  .meta({ id: "Business" });

export function presentBusiness(business: Business): z.output<typeof shownBusiness> {
  return {
    id: business.id,
    name: business.name,
    verified_at: business.verifiedAt?.toISOString() ?? null,
    suspended_at: business.suspendedAt?.toISOString() ?? null,
    notify_pending: business.notifyPending,
    in_flight: business.inFlight,
    created_at: business.createdAt.toISOString(),
  };
}
