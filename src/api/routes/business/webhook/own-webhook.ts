import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { requireId } from "../../../../domain/not-found.ts";
import { answersWithData } from "../../../answers/answers.ts";
import { businessOf } from "../../../auth/authenticate.ts";

/** A webhook and its business. The webhook of another business is not found. */
export type OwnWebhook = { businessId: string; webhookId: string };

export const webhookParams = z.strictObject({ id: z.string() });

/** A secret, in the only answer that shows it. */
export const newSecretText = z
  .string()
  .regex(/^whsec_/)
  .meta({ description: "The webhook's secret. It is shown here and never again: store it now." });

/** The schema of a route about one webhook that answers 200 with `data`. */
export function aboutWebhook<Data extends z.ZodType>(summary: string, data: Data) {
  return { tags: ["Webhook"], summary, params: webhookParams, ...answersWithData(data) };
}

/** @throws Fault `webhook_not_found` if the id does not have the form of one */
export function nameOf(
  request: Pick<FastifyRequest, "businessId"> & { params: z.output<typeof webhookParams> },
): OwnWebhook {
  const webhookId = requireId(request.params.id, "webhook_not_found");
  return { businessId: businessOf(request), webhookId };
}
