import { z } from "zod";
import { dataAnswer, listAnswer } from "../../../schema/answers.ts";
import { pageFields } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { shownBusiness } from "./admin-answers.ts";
import {
  type Listed,
  listBody,
  noBody,
  noQuery,
  type PageInput,
  pageInput,
} from "./admin-lists.ts";

type BusinessInput = { name?: string; notify_pending?: boolean; in_flight?: number | null };
type Shown = z.output<typeof shownBusiness>;

export type AdminBusinessesDeps = {
  createBusiness: (input: { name: string; verified?: boolean }) => Promise<Shown>;
  verifyBusiness: (id: string) => Promise<Shown>;
  suspendBusiness: (id: string) => Promise<Shown>;
  resumeBusiness: (id: string) => Promise<Shown>;
  setBusiness: (id: string, input: BusinessInput) => Promise<Shown>;
  listBusinesses: (input: PageInput) => Promise<Listed<Shown>>;
};

const createBody = z.strictObject({
  name: z.string("expected a text"),
  verified: z.boolean("expected true or false").optional(),
});

const changeBody = z.strictObject({
  name: z.string("expected a text").optional(),
  notify_pending: z
    .boolean("expected true or false")
    .optional()
    .meta({ description: "Whether transaction.pending and transaction.dropped notify too." }),
  in_flight: z
    .number("expected a whole number, or null")
    .nullable()
    .optional()
    .meta({ description: "Deliveries under way at once; null: the configured default." }),
});

const params = z.strictObject({ id: z.string() });
const tags = ["Administration: businesses"];
const one = answers({ 200: dataAnswer(shownBusiness) });

const verbs = [
  ["verify", "verifyBusiness", "Verify a business: its keys open the API from now on"],
  ["suspend", "suspendBusiness", "Suspend a business: its keys are refused, its wallets watched"],
  ["resume", "resumeBusiness", "End a business's suspension"],
] as const;

export function adminBusinessesRoutes(web: Web, commandsOf: Acting<AdminBusinessesDeps>): void {
  const list = {
    tags,
    summary: "List the businesses",
    querystring: z.strictObject(pageFields),
    response: answers({ 200: listAnswer(shownBusiness) }),
  };
  web.get("/businesses", { schema: list }, async (request) =>
    listBody(await commandsOf(request).listBusinesses(pageInput(request.query))),
  );

  const creation = {
    tags,
    summary: "Create a business",
    body: createBody,
    querystring: noQuery,
    response: answers({ 201: dataAnswer(shownBusiness) }),
  };
  web.post("/businesses", { schema: creation }, async (request, reply) => {
    const { name, verified = false } = request.body;
    const data = await commandsOf(request).createBusiness({ name, verified });
    return reply.code(201).send({ success: true, data });
  });

  const summary = "Change what is said of a business; what is left out stays";
  const change = { tags, summary, params, body: changeBody, querystring: noQuery, response: one };
  web.patch("/businesses/:id", { schema: change }, async (request) => {
    const { name, notify_pending, in_flight } = request.body;
    const input = {
      ...(name === undefined ? {} : { name }),
      ...(notify_pending === undefined ? {} : { notify_pending }),
      ...(in_flight === undefined ? {} : { in_flight }),
    };
    const data = await commandsOf(request).setBusiness(request.params.id, input);
    return { success: true as const, data };
  });

  for (const [verb, command, summary] of verbs) {
    const schema = { tags, summary, params, body: noBody, querystring: noQuery, response: one };
    web.post(`/businesses/:id/${verb}`, { schema }, async (request) => ({
      success: true as const,
      data: await commandsOf(request)[command](request.params.id),
    }));
  }
}
