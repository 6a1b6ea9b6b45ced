import { z } from "zod";
import { recoveredStatuses } from "../domain/delivery/delivery.ts";
import { dateField } from "./fields.ts";

/** The fields of a recovery, of a business as of an operator. */
export const recoveryFields = {
  since: dateField,
  until: dateField.optional(),
  include: z
    .array(z.enum(recoveredStatuses, `expected some of ${recoveredStatuses.join(", ")}`))
    .min(1, "expected at least one status")
    .optional()
    .meta({ description: "`waiting`: retries are due now. Left out: all but `waiting`." }),
};
