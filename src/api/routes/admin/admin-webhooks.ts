import { z } from "zod";
import { dataAnswer, dataBody, listAnswer } from "../../../schema/answers.ts";
import { noQuery, pageFields } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { ownedWebhook, redelivery, shownWebhook } from "./admin-answers.ts";
import { type Listed, listBody, type PageInput, pageInput } from "./admin-lists.ts";

type Shown = z.output<typeof shownWebhook>;

export type AdminWebhooksDeps = {
  listWebhooks: (input: PageInput) => Promise<Listed<z.output<typeof ownedWebhook>>>;
  enableWebhook: (id: string) => Promise<Shown>;
  disableWebhook: (id: string) => Promise<Shown>;
  redeliverNotification: (id: string) => Promise<z.output<typeof redelivery>>;
};

const params = z.strictObject({ id: z.string() });
const tags = ["Administration: webhooks"];
const one = answers({ 200: dataAnswer(shownWebhook) });

export function adminWebhooksRoutes(web: Web, commandsOf: Acting<AdminWebhooksDeps>): void {
  const list = {
    tags,
    summary: "List the current webhooks with their health",
    querystring: z.strictObject(pageFields),
    response: answers({ 200: listAnswer(ownedWebhook) }),
  };
  web.get("/webhooks", { schema: list }, async (request) =>
    listBody(await commandsOf(request).listWebhooks(pageInput(request.query))),
  );

  const summary = "Notify it again; what was held is due at once";
  const enable = { tags, summary, params, querystring: noQuery, response: one };
  web.post("/webhooks/:id/enable", { schema: enable }, async (request) =>
    dataBody(await commandsOf(request).enableWebhook(request.params.id)),
  );

  const disable = { ...enable, summary: "Notify it no more; its events are held" };
  web.post("/webhooks/:id/disable", { schema: disable }, async (request) =>
    dataBody(await commandsOf(request).disableWebhook(request.params.id)),
  );

  const again = {
    tags: ["Administration: notifications"],
    summary: "Deliver a notification once more",
    params,
    querystring: noQuery,
    response: answers({ 202: dataAnswer(redelivery) }),
  };
  web.post("/notifications/:id/redeliver", { schema: again }, async (request, reply) => {
    const data = await commandsOf(request).redeliverNotification(request.params.id);
    return reply.code(202).send(dataBody(data));
  });
}
