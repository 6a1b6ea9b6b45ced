import type { FastifyRequest } from "fastify";
import { isTokenOf } from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";
import { isReading } from "../auth/administrator.ts";

/**
 * Refuses requests that a page of another origin made a browser send. A change must have this host
 * as its origin. If the browser names the sending site
 * (https://w3c.github.io/webappsec-fetch-metadata/), it must be the same origin. The scheme is not
 * compared here, because a proxy that ends TLS hides it. SameSite=Strict compares the scheme.
 * @throws Fault `console_request_refused`
 */
export function requireSameOrigin(request: FastifyRequest): void {
  const { headers, method, host } = request;
  const site = headers["sec-fetch-site"];
  // `none`: a person typed the address.
  const isOurs =
    site === undefined || site === "same-origin" || (site === "none" && isReading(method));
  if (isOurs && (isReading(method) || hostOf(headers.origin) === host)) return;
  throw new Fault(
    "console_request_refused",
    "The request came from another origin. Behind a proxy, forward Host.",
  );
}

/** @throws Fault `console_request_refused` if a change does not have the session's token */
export function requireToken(request: FastifyRequest, secret: string): void {
  if (isReading(request.method)) return;
  const given = request.headers["x-console-token"];
  if (typeof given === "string" && isTokenOf(secret, given)) return;
  throw new Fault(
    "console_request_refused",
    "Send the session's token in the header x-console-token.",
  );
}

function hostOf(origin: string | undefined): string | null {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
}
