import { z } from "zod";

/** What an entry of an audit trail says was done. */
export const auditedFields = {
  action: z.string().meta({ examples: ["webhook.register"] }),
  subject: z.string().nullable().meta({ description: "What was acted on." }),
  details: z.record(z.string(), z.unknown()),
};
