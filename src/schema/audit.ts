import { z } from "zod";

/** The fields of an audit entry that say what was done. */
export const auditedFields = {
  action: z.string().meta({ examples: ["webhook.register"] }),
  subject: z
    .string()
    .nullable()
    .meta({ description: "The id or name of the thing that was changed." }),
  details: z.record(z.string(), z.unknown()),
};
