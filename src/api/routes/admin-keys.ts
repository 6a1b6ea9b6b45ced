import { z } from "zod";
import { pageFields } from "../fields.ts";
import type { Web } from "../web.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

export type AdminKeysDeps = {
  createKey: (input: {
    businessId: string;
    label?: string;
  }) => Promise<{ id: string; key: string }>;
  revokeKey: (id: string) => Promise<object>;
  listApiKeys: (input: PageInput & { businessId: string }) => Promise<Listed>;
};

/** A key needs no label, so the body may be left out altogether. */
const createBody = z
  .strictObject({ label: z.string("expected a text").optional() })
  .nullish()
  .transform((body) => body ?? {});

const params = z.strictObject({ id: z.string() });

export function adminKeysRoutes(web: Web, deps: AdminKeysDeps): void {
  const creation = { params, body: createBody, querystring: noQuery };
  web.post("/businesses/:id/api-keys", { schema: creation }, async (request, reply) => {
    const { label } = request.body;
    const businessId = request.params.id;
    const data = await deps.createKey(label === undefined ? { businessId } : { businessId, label });
    // The contract names id and key themselves; every other answer, and whoever reads them alike, has `data`.
    return reply.code(201).send({ success: true, id: data.id, key: data.key, data });
  });

  const list = { params, querystring: z.strictObject(pageFields) };
  web.get("/businesses/:id/api-keys", { schema: list }, async (request) => {
    const page = pageInput(request.query);
    return listBody(await deps.listApiKeys({ ...page, businessId: request.params.id }));
  });

  const schema = { params, querystring: noQuery };
  web.delete("/api-keys/:id", { schema }, async (request) => ({
    success: true,
    data: await deps.revokeKey(request.params.id),
  }));
}
