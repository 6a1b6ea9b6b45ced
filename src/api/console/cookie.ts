import type { FastifyReply, FastifyRequest } from "fastify";
import {
  digestOf,
  isSessionDigest,
  isSessionSecret,
  sessionLifetimeMs,
  signInLifetimeMs,
} from "../../domain/console/session.ts";
import { stateOf } from "./identity-provider.ts";

/**
 * `__Host-` (RFC 6265bis section 4.1.3): a browser accepts the cookie only from this host, over
 * TLS, for all paths. Not every browser accepts it from a local address without TLS. So in
 * development mode over plain http the name has no prefix.
 */
const prefix = "__Host-";

/** Strict: a page of another site never makes a browser send the cookie. */
const session = { sameSite: "Strict", lifetimeMs: sessionLifetimeMs } as const;

/** Lax, because the page of an identity provider sends the browser back. */
const signIn = { sameSite: "Lax", lifetimeMs: signInLifetimeMs } as const;

/** Lax for the same reason. A session of the browser ends where another one begins. */
const trace = { sameSite: "Lax", lifetimeMs: sessionLifetimeMs } as const;

const sessionName = "chainbell-console";

/** The cookie with the digest of the session's secret. It names the session, and opens nothing. */
const traceName = "chainbell-console-digest";

/** The rest of the name follows from the secret: each sign-in has a cookie of its own. */
const signInStem = "chainbell-sign-in-";

/**
 * The most sign-ins that a browser has under way. Another one ends the oldest, so that their
 * cookies never fill the headers of a request.
 */
const mostSignIns = 8;

export type CookieDeps = { isDevelopment: boolean };

export type SessionCookie = {
  /** The secret in the request's cookie. Null: there is none of the right form. */
  read: (request: FastifyRequest) => string | null;
  /**
   * The digest of the secret of the browser's session. Null: there is none. A browser sends it even
   * where another site has sent the browser here.
   */
  digest: (request: FastifyRequest) => string | null;
  write: (request: FastifyRequest, reply: FastifyReply, secret: string) => void;
  clear: (request: FastifyRequest, reply: FastifyReply) => void;
};

/** The cookies of a browser between leaving for an identity provider and coming back. */
export type SignInCookies = {
  /** The secret of the sign-in with this state. Null: this browser has none under way. */
  find: (request: FastifyRequest, state: string) => string | null;
  /** Keeps one more. Clears the oldest where the browser has too many. */
  add: (request: FastifyRequest, reply: FastifyReply, secret: string) => void;
  clear: (request: FastifyRequest, reply: FastifyReply, secret: string) => void;
};

export function createSessionCookie(deps: CookieDeps): SessionCookie {
  const { nameOf, send } = createCookies(deps, session);
  const { send: sendTrace } = createCookies(deps, trace);

  /** RFC 6265 section 5.4: the first cookie with that name. */
  function sentAs(request: FastifyRequest, name: string): string {
    const own = nameOf(request, name);
    return pairsOf(request).find((pair) => pair.name === own)?.value ?? "";
  }

  function sendBoth(request: FastifyRequest, reply: FastifyReply, secret: string | null): void {
    send(request, reply, { name: sessionName, value: secret });
    sendTrace(request, reply, {
      name: traceName,
      value: secret === null ? null : digestOf(secret),
    });
  }

  function read(request: FastifyRequest): string | null {
    const secret = sentAs(request, sessionName);
    return isSessionSecret(secret) ? secret : null;
  }

  return {
    read,
    digest(request) {
      const secret = read(request);
      if (secret !== null) return digestOf(secret);
      const digest = sentAs(request, traceName);
      return isSessionDigest(digest) ? digest : null;
    },
    write: sendBoth,
    clear: (request, reply) => sendBoth(request, reply, null),
  };
}

export function createSignInCookies(deps: CookieDeps): SignInCookies {
  const { nameOf, send } = createCookies(deps, signIn);
  const ownName = (secret: string) => `${signInStem}${stateOf(secret)}`;

  /** RFC 6265 section 5.4: the oldest first. */
  function listSecrets(request: FastifyRequest): string[] {
    const own = pairsOf(request).filter(
      ({ name, value }) => isSessionSecret(value) && name === nameOf(request, ownName(value)),
    );
    return own.map(({ value }) => value);
  }

  const clear: SignInCookies["clear"] = (request, reply, secret) =>
    send(request, reply, { name: ownName(secret), value: null });

  return {
    find: (request, state) =>
      listSecrets(request).find((secret) => stateOf(secret) === state) ?? null,
    add(request, reply, secret) {
      const others = listSecrets(request);
      const tooMany = Math.max(0, others.length + 1 - mostSignIns);
      for (const other of others.slice(0, tooMany)) clear(request, reply, other);
      send(request, reply, { name: ownName(secret), value: secret });
    },
    clear,
  };
}

type Kind = typeof session | typeof signIn;

/** Names and sends the cookies of one kind. */
function createCookies({ isDevelopment }: CookieDeps, { sameSite, lifetimeMs }: Kind) {
  const isPlain = ({ protocol }: FastifyRequest) => isDevelopment && protocol === "http";
  const nameOf = (request: FastifyRequest, name: string) =>
    isPlain(request) ? name : `${prefix}${name}`;

  /** @param value null: clears the cookie */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, value }: { name: string; value: string | null },
  ): void {
    const secure = isPlain(request) ? "" : "; Secure";
    const ageS = value === null ? 0 : lifetimeMs / 1_000;
    const attributes = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${ageS}${secure}`;
    // Fastify can send several of this header.
    reply.header("set-cookie", `${nameOf(request, name)}=${value ?? ""}; ${attributes}`);
  }

  return { nameOf, send };
}

/** The cookies of a request, in its order. */
function pairsOf({ headers }: FastifyRequest): { name: string; value: string }[] {
  return (headers.cookie ?? "").split(";").map((text) => {
    const [name = "", ...rest] = text.trim().split("=");
    return { name, value: rest.join("=") };
  });
}
