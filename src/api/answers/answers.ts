import { z } from "zod";
import { dataAnswer } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";

const errorAnswer = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z
        .string()
        .regex(/^[a-z_]+$/)
        .meta({ description: "A stable word for machines." }),
      message: z.string().meta({ description: "One sentence that says what to do." }),
      details: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .optional()
        .meta({ description: "Which fields are at fault, where fields are." }),
    }),
    request_id: z.string(),
  })
  .meta({ id: "Error", description: "What went wrong, in the one form of every error." });

/** The answers of an endpoint by status, with the one form of every error beside them. */
export function answers<Successes extends Record<number, z.ZodType>>(successes: Successes) {
  return { ...successes, "4xx": errorAnswer, "5xx": errorAnswer };
}

/** What the schema of a route says that takes no query and answers 200 with `data`. */
export function answersWithData<Data extends z.ZodType>(data: Data) {
  return { querystring: noQuery, response: answers({ 200: dataAnswer(data) }) };
}
