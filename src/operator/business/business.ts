import { z } from "zod";
import type { Business } from "../../domain/business/business.ts";
import { idText, timeText } from "../../schema/answers.ts";

/** The name of a business, in every body and answer. */
export const businessName = z.string("expected a text").meta({ examples: ["Example Ltd"] });

/** The name at the top of a business's statements. Null: none. */
export const legalName = z
  .string("expected a text or null")
  .nullable()
  .meta({
    examples: ["Example Trading Limited"],
    description: "The legal name in the head of statements. Null: `name` stands there.",
  });

/** The address at the top of a business's statements. Null: none. */
export const postalAddress = z
  .string("expected a text or null")
  .nullable()
  .meta({
    examples: ["1 Example Street\nLondon"],
    description:
      "The postal address in the head of statements, with line breaks. Null: none stands there.",
  });

/** A business as an operator sees it. */
export const shownBusiness = z
  .object({
    id: idText,
    name: businessName,
    legal_name: legalName,
    address: postalAddress,
    verified_at: timeText.nullable(),
    suspended_at: timeText.nullable(),
    notify_pending: z.boolean(),
    in_flight: z.int().nullable().meta({
      description:
        "The most deliveries of the business that are under way at once. Null: the configured default.",
    }),
    rate: z.int().nullable().meta({
      description:
        "The most attempts a second, at all webhooks of the business together. Null: not limited.",
    }),
    created_at: timeText,
  })
  .meta({ id: "Business" });

export function presentBusiness(business: Business): z.output<typeof shownBusiness> {
  return {
    id: business.id,
    name: business.name,
    legal_name: business.legalName,
    address: business.address,
    verified_at: business.verifiedAt?.toISOString() ?? null,
    suspended_at: business.suspendedAt?.toISOString() ?? null,
    notify_pending: business.notifyPending,
    in_flight: business.inFlight,
    rate: business.rate,
    created_at: business.createdAt.toISOString(),
  };
}
