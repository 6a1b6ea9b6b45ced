import type { FastifyReply, FastifyRequest } from "fastify";
import { doWork, type Owner, type Work, workOf } from "../../runtime/on-behalf.ts";
import type { Web } from "./web.ts";

/**
 * Makes each later request of the scope work for its owner. It starts after the body is read,
 * because reading loses that context. The database gives each owner a few connections. A request
 * whose caller has disconnected does not wait for one.
 */
export function actFor(scope: Web, ownerOf: (request: FastifyRequest) => Owner): void {
  scope.addHook("preValidation", (request, reply, done) => {
    const work = workOf(ownerOf(request));
    leaveWithCaller(work, reply);
    doWork(work, done);
  });
}

function leaveWithCaller(work: Work, { raw }: FastifyReply): void {
  const leave = () => {
    if (!raw.writableFinished) work.leave();
  };
  if (raw.destroyed) leave();
  else raw.once("close", leave);
}
