import type { FastifyRequest } from "fastify";
import { type Owner, onBehalfOf } from "../../runtime/on-behalf.ts";
import type { Web } from "./web.ts";

/**
 * Has each later request of the scope work on behalf of its owner, from after its body was read:
 * reading a body forgets on whose behalf it is. The database gives each owner a few connections.
 */
export function actFor(scope: Web, ownerOf: (request: FastifyRequest) => Owner): void {
  scope.addHook("preValidation", (request, _reply, done) => onBehalfOf(ownerOf(request), done));
}
