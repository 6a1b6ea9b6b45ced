import { z } from "zod";
import type { FaultCode } from "../../domain/fault.ts";
import { dataAnswer, fieldDetail } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";
import { errorCodes } from "./error-codes.ts";

declare module "fastify" {
  interface FastifySchema {
    /** The faults that only this route has. Its path, its method and its credentials add more. */
    refuses?: readonly FaultCode[];
  }
}

const errorCode = z.enum([...errorCodes.keys()]).meta({
  id: "ErrorCode",
  description: "A stable word for machines. Further ones may be added.",
});

/** The form of every error answer: docs/contract.md#errors. */
export const errorAnswer = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: errorCode,
      message: z.string().meta({
        description: "Says what happened, names the value at fault, and says what to do.",
      }),
      doc_url: z.string().meta({
        description: "The page about the code, relative to the API's address.",
        examples: ["/docs/errors#invalid_request"],
      }),
      details: z
        .array(fieldDetail)
        .optional()
        .meta({ description: "The fields at fault, if fields are." }),
    }),
    request_id: z.string(),
  })
  .meta({ id: "Error", description: "The one form of every error." });

/** The schema of a route that takes no query and answers 200 with `data`. */
export function answersWithData<Data extends z.ZodType>(data: Data) {
  return { querystring: noQuery, response: { 200: dataAnswer(data) } };
}
