import type { FastifyRequest } from "fastify";
import type { AdminScope } from "../../../domain/business/admin-scope.ts";
import type { Served } from "../../../domain/business/list-reader.ts";
import type { DescribedRoute, ParsedRequest } from "../../../schema/described-route.ts";
import { sayServed } from "../../answers/served.ts";
import { administratorOf } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";

/** `claim`: for a request with an Idempotency-Key, else null. */
type ActingOperator = { name: string; address: string; claim: FastifyRequest["claim"] };

/**
 * A verb that an operator uses by HTTP. It has its route, and the function that runs it with an
 * audit entry of this administrator.
 */
export type AdminVerb = DescribedRoute & {
  scope: AdminScope;
  act: (request: ParsedRequest, by: ActingOperator) => Promise<{ answer: object; served: Served }>;
};

/** Adds the routes under /admin, one for each verb. */
export function verbRoutes(web: Web, verbs: readonly AdminVerb[]): void {
  for (const verb of verbs) {
    const { method, path, bodyLimitBytes, act } = verb;
    web.route({
      method,
      url: path,
      schema: schemaOf(verb),
      ...(bodyLimitBytes === null ? {} : { bodyLimit: bodyLimitBytes }),
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const by = { name: administratorOf(request), address: request.ip, claim: request.claim };
        const { answer, served } = await act({ params, query, body }, by);
        if (verb.mayBeStale) sayServed(reply, served);
        return reply.code(verb.status).send(answer);
      },
    });
  }
}

function schemaOf(verb: AdminVerb) {
  const { tag, summary, description, params, querystring, body, status, answer, refuses } = verb;
  const { scope, mayBeStale = false } = verb;
  return {
    tags: [tag],
    summary,
    ...(description === null ? {} : { description }),
    ...(params === null ? {} : { params }),
    querystring,
    ...(body === null ? {} : { body }),
    response: { [status]: answer },

    scope,
    refuses,
    mayBeStale,
  };
}
