import type { FastifyRequest } from "fastify";
import { onBehalfOf } from "../../runtime/on-behalf.ts";
import type { Web } from "./web.ts";

/**
 * Has each later request of the scope work on behalf of its owner, from after its body was read:
 * reading a body forgets on whose behalf it is. The database gives each owner a few connections.
 */
export function actFor(scope: Web, ownerOf: (request: FastifyRequest) => string): void {
  scope.addHook("preValidation", (request, _reply, done) => onBehalfOf(ownerOf(request), done));
}

/** The owner of what operators ask for, all together. */
export const operators = "operators";
