import { z } from "zod";
import { type Found, foundKinds } from "../domain/business/search.ts";
import { isPlainText, plainTextRule } from "../domain/text.ts";
import { idText } from "./answers.ts";

/** The text to look for. */
export const searchField = z
  .string(plainTextRule)
  .refine(isPlainText, plainTextRule)
  .meta({
    description:
      "The text to find: a transaction's hash or an address, whole or shortened as 0x825d…4c7f. Or an id, an amount with its asset, or the number of a notification such as No. 4. Or a part of a reference, a label or a name.",
    examples: ["order-17"],
  });

export const shownFound = z
  .object({
    kind: z.enum(foundKinds),
    id: z.string().meta({ description: "The id of the thing. For a chain, its name." }),
    label: z.string(),
    detail: z.string().meta({ examples: ["deposit completed ethereum"] }),
    business_id: idText
      .nullable()
      .meta({ description: "The id of the business that has it. Null: it is a chain." }),
  })
  .meta({ id: "Found" });

export function presentFound({ businessId, ...found }: Found): z.output<typeof shownFound> {
  return { ...found, business_id: businessId };
}
