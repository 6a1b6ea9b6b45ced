import { z } from "zod";
import { pageFields } from "../fields.ts";
import type { Web } from "../web.ts";
import { type Listed, listBody, noQuery, type PageInput, pageInput } from "./admin-lists.ts";

type BusinessInput = { name?: string; notify_pending?: boolean; in_flight?: number | null };

export type AdminBusinessesDeps = {
  createBusiness: (input: { name: string; verified?: boolean }) => Promise<object>;
  verifyBusiness: (id: string) => Promise<object>;
  suspendBusiness: (id: string) => Promise<object>;
  resumeBusiness: (id: string) => Promise<object>;
  setBusiness: (id: string, input: BusinessInput) => Promise<object>;
  listBusinesses: (input: PageInput) => Promise<Listed>;
};

const createBody = z.strictObject({
  name: z.string("expected a text"),
  verified: z.boolean("expected true or false").optional(),
});

const changeBody = z.strictObject({
  name: z.string("expected a text").optional(),
  notify_pending: z.boolean("expected true or false").optional(),
  in_flight: z.number("expected a whole number, or null").nullable().optional(),
});

const params = z.strictObject({ id: z.string() });

export function adminBusinessesRoutes(web: Web, deps: AdminBusinessesDeps): void {
  web.get("/businesses", { schema: { querystring: z.strictObject(pageFields) } }, async (request) =>
    listBody(await deps.listBusinesses(pageInput(request.query))),
  );

  const creation = { body: createBody, querystring: noQuery };
  web.post("/businesses", { schema: creation }, async (request, reply) => {
    const { name, verified = false } = request.body;
    const data = await deps.createBusiness({ name, verified });
    return reply.code(201).send({ success: true, data });
  });

  const change = { params, body: changeBody, querystring: noQuery };
  web.patch("/businesses/:id", { schema: change }, async (request) => {
    const { name, notify_pending, in_flight } = request.body;
    const input = {
      ...(name === undefined ? {} : { name }),
      ...(notify_pending === undefined ? {} : { notify_pending }),
      ...(in_flight === undefined ? {} : { in_flight }),
    };
    return { success: true, data: await deps.setBusiness(request.params.id, input) };
  });

  for (const [verb, run] of [
    ["verify", deps.verifyBusiness],
    ["suspend", deps.suspendBusiness],
    ["resume", deps.resumeBusiness],
  ] as const) {
    const schema = { params, querystring: noQuery };
    web.post(`/businesses/:id/${verb}`, { schema }, async (request) => ({
      success: true,
      data: await run(request.params.id),
    }));
  }
}
