import { z } from "zod";
import { recoveredStatuses } from "../domain/delivery/delivery.ts";
import type { WebhookFilter } from "../domain/webhook/filter.ts";
import { dateField } from "./fields.ts";
import { filterFields, filterOf } from "./webhook-filter.ts";

/** The fields of a recovery, of a business as of an operator. */
export const recoveryFields = {
  since: dateField,
  until: dateField.optional(),
  include: z
    .array(z.enum(recoveredStatuses, `expected some of ${recoveredStatuses.join(", ")}`))
    .min(1, "expected at least one status")
    .optional()
    .meta({ description: "`waiting`: retries are due now. Left out: all but `waiting`." }),
  filter: filterFields.optional().meta({
    description:
      "It leaves out every notification that it does not name. `min_usd` asks for the worth at confirmation.",
  }),
};

/** The filter of a recovery; undefined: there is none, or it names no field. */
export function recoveryFilterOf(
  asked: z.output<typeof recoveryFields.filter>,
): WebhookFilter | undefined {
  const filter = filterOf(asked) ?? {};
  return Object.keys(filter).length === 0 ? undefined : filter;
}
