import type { FastifyReply, FastifyRequest } from "fastify";
import {
  isSessionSecret,
  sessionLifetimeMs,
  signInLifetimeMs,
} from "../../domain/console/session.ts";

/**
 * `__Host-` (RFC 6265bis section 4.1.3): a browser accepts the cookie only from this host, over
 * TLS, for all paths. Not every browser accepts it from a local address without TLS. So in
 * development mode over plain http the name has no prefix.
 */
const prefix = "__Host-";

/**
 * Strict: a page of another site never makes a browser send the cookie. For the way to an identity
 * provider the cookie is Lax, because the provider's page sends the browser back.
 */
const kinds = {
  session: { name: "chainbell-console", sameSite: "Strict", lifetimeMs: sessionLifetimeMs },
  signIn: { name: "chainbell-sign-in", sameSite: "Lax", lifetimeMs: signInLifetimeMs },
} as const;

export type SessionCookie = {
  /** The secret in the request's cookie. Null: there is none of the right form. */
  read: (request: FastifyRequest) => string | null;
  write: (request: FastifyRequest, reply: FastifyReply, secret: string) => void;
  clear: (request: FastifyRequest, reply: FastifyReply) => void;
};

export function createSessionCookie(
  { isDevelopment }: { isDevelopment: boolean },
  kind: keyof typeof kinds = "session",
): SessionCookie {
  const { name, sameSite, lifetimeMs } = kinds[kind];
  const isPlain = ({ protocol }: FastifyRequest) => isDevelopment && protocol === "http";
  const nameOf = (request: FastifyRequest) => (isPlain(request) ? name : `${prefix}${name}`);

  function send(request: FastifyRequest, reply: FastifyReply, value: string, ageS: number): void {
    const secure = isPlain(request) ? "" : "; Secure";
    const attributes = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${ageS}${secure}`;
    // Fastify can send several of this header.
    reply.header("set-cookie", `${nameOf(request)}=${value}; ${attributes}`);
  }

  return {
    read(request) {
      const secret = valueIn(request.headers.cookie ?? "", nameOf(request));
      return secret !== undefined && isSessionSecret(secret) ? secret : null;
    },
    write: (request, reply, secret) => send(request, reply, secret, lifetimeMs / 1_000),
    clear: (request, reply) => send(request, reply, "", 0),
  };
}

/** RFC 6265 section 5.4: the first cookie with that name. */
function valueIn(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
