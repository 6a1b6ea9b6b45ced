import { z } from "zod";
import { answer, dataAnswer, idText, listAnswer } from "../../../schema/answers.ts";
import { pageFields } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { createdKey, shownKey } from "./admin-answers.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

type Shown = z.output<typeof shownKey>;

export type AdminKeysDeps = {
  createKey: (input: {
    businessId: string;
    label?: string;
  }) => Promise<z.output<typeof createdKey>>;
  revokeKey: (id: string) => Promise<Shown>;
  listApiKeys: (input: PageInput & { businessId: string }) => Promise<Listed<Shown>>;
};

/** A key needs no label, so the body may be left out altogether. */
const createBody = z.strictObject({ label: z.string("expected a text").optional() }).nullish();

const params = z.strictObject({ id: z.string() });
const tags = ["Administration: API keys"];

export function adminKeysRoutes(web: Web, commandsOf: Acting<AdminKeysDeps>): void {
  const creation = {
    tags,
    summary: "Create an API key",
    params,
    body: createBody,
    querystring: noQuery,
    response: answers({ 201: answer({ id: idText, key: z.string(), data: createdKey }) }),
  };
  web.post("/businesses/:id/api-keys", { schema: creation }, async (request, reply) => {
    const label = request.body?.label;
    const businessId = request.params.id;
    const input = label === undefined ? { businessId } : { businessId, label };
    const data = await commandsOf(request).createKey(input);
    // The contract names id and key themselves; every other answer, and whoever reads them alike, has `data`.
    return reply.code(201).send({ success: true, id: data.id, key: data.key, data });
  });

  const list = {
    tags,
    summary: "List a business's API keys, revoked ones too",
    params,
    querystring: z.strictObject(pageFields),
    response: answers({ 200: listAnswer(shownKey) }),
  };
  web.get("/businesses/:id/api-keys", { schema: list }, async (request) => {
    const page = pageInput(request.query);
    const businessId = request.params.id;
    return listBody(await commandsOf(request).listApiKeys({ ...page, businessId }));
  });

  const revocation = {
    tags,
    summary: "Revoke an API key, for ever, within two seconds everywhere",
    params,
    querystring: noQuery,
    response: answers({ 200: dataAnswer(shownKey) }),
  };
  web.delete("/api-keys/:id", { schema: revocation }, async (request) => ({
    success: true as const,
    data: await commandsOf(request).revokeKey(request.params.id),
  }));
}
