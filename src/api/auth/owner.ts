import type { FastifyRequest } from "fastify";
import { nameOf } from "../../domain/console/session.ts";
import type { Owner } from "../../runtime/on-behalf.ts";
import { administratorOf } from "./administrator.ts";
import { businessOf } from "./authenticate.ts";

/** On whose behalf a request of a business works, after authentication has let it pass. */
export function businessOwnerOf(request: FastifyRequest): Owner {
  return { kind: "business", name: businessOf(request) };
}

/** On whose behalf a request of an operator works, after the guard has let it pass. */
export function operatorOwnerOf(request: FastifyRequest): Owner {
  return { kind: "operator", name: administratorOf(request) };
}

/** On whose behalf a session of the console works. */
export function ownerOfSession(session: Parameters<typeof nameOf>[0]): Owner {
  const { subject } = session;
  return subject.kind === "business"
    ? { kind: "business", name: subject.businessId }
    : { kind: "operator", name: nameOf(session) };
}
