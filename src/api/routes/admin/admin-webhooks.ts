import { z } from "zod";
import { pageFields } from "../../answers/fields.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

export type AdminWebhooksDeps = {
  listWebhooks: (input: PageInput) => Promise<Listed<object>>;
  enableWebhook: (id: string) => Promise<object>;
  disableWebhook: (id: string) => Promise<object>;
  redeliverNotification: (id: string) => Promise<object>;
};

export function adminWebhooksRoutes(web: Web, commandsOf: Acting<AdminWebhooksDeps>): void {
  const schema = { params: z.strictObject({ id: z.string() }), querystring: noQuery };
  web.get("/webhooks", { schema: { querystring: z.strictObject(pageFields) } }, async (request) =>
    listBody(await commandsOf(request).listWebhooks(pageInput(request.query))),
  );
  web.post("/webhooks/:id/enable", { schema }, async (request) => ({
    success: true,
    data: await commandsOf(request).enableWebhook(request.params.id),
  }));
  web.post("/webhooks/:id/disable", { schema }, async (request) => ({
    success: true,
    data: await commandsOf(request).disableWebhook(request.params.id),
  }));
  web.post("/notifications/:id/redeliver", { schema }, async (request, reply) => {
    const data = await commandsOf(request).redeliverNotification(request.params.id);
    return reply.code(202).send({ success: true, data });
  });
}
