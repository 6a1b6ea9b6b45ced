import type { FastifyRequest } from "fastify";
import { nameOf } from "../../domain/console/session.ts";
import type { Owner } from "../../runtime/on-behalf.ts";
import { administratorOf } from "./administrator.ts";
import { businessOf } from "./authenticate.ts";

/** The business that a request works for. Call it only after authentication has passed it. */
export function businessOwnerOf(request: FastifyRequest): Owner {
  return { kind: "business", name: businessOf(request) };
}

/** The operator that a request works for. Call it only after the guard has passed it. */
export function operatorOwnerOf(request: FastifyRequest): Owner {
  return { kind: "operator", name: administratorOf(request) };
}

/** The owner that a session of the console works for. */
export function ownerOfSession(session: Parameters<typeof nameOf>[0]): Owner {
  const { subject } = session;
  return subject.kind === "business"
    ? { kind: "business", name: subject.businessId }
    : { kind: "operator", name: nameOf(session) };
}
