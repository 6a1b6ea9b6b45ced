import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from "jose";
import { Provider } from "oidc-provider";

/** Somebody whom the provider knows, and what it says of them. */
export type Account = { sub: string; email: string; email_verified: boolean; groups: string[] };

/**
 * The ID token that is sent in place of the provider's own, which says `claims`. `sign` does so
 * with the provider's key.
 */
export type Forge = (
  claims: JWTPayload,
  sign: (claims: JWTPayload) => Promise<string>,
) => Promise<string>;

export const clientId = "chainbell-console";
export const clientSecret = "a-secret-of-the-console-at-the-provider";

/** What `asks` shows: a browser that leaves it comes from a page of another site. */
const question =
  '<!doctype html><title>Provider</title><form method="post"><button>Continue</button></form>';

const signed = { alg: "ES256", kid: "provider" } as const;

/** Signs as the provider does, under the name of its key. */
export function signWith(key: CryptoKey, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(signed).sign(key);
}

/**
 * An identity provider of its own, with one client that it sends back to `redirectUri`. Whoever
 * comes is `account`, without being asked; with null they refuse to sign in. Whoever starts it
 * stops it.
 * @param asks whether its page is shown first, with a button, for a browser that a person sits at
 */
export async function startIdentityProvider(redirectUri: string, { asks } = { asks: false }) {
  let account: Account | null = null;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // To a browser this is another site than 127.0.0.1.
  const issuer = `http://localhost:${port}`;
  const { privateKey } = await generateKeyPair(signed.alg, { extractable: true });
  let forge: Forge | null = null;
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...signed, use: "sig" }] },
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    clientDefaults: {
      token_endpoint_auth_method: "client_secret_post",
      id_token_signed_response_alg: signed.alg,
    },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["a key of the provider's cookies"] },
    features: { devInteractions: { enabled: false } },
    findAccount(_context, sub) {
      const one = account;
      return one?.sub === sub ? { accountId: sub, claims: async () => ({ ...one }) } : undefined;
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid email groups");
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    if (forge === null || context.path !== "/token" || context.status !== 200) return;
    const own = decodeJwt(context.body.id_token);
    const id_token = await forge(own, (claims) => signWith(privateKey, claims));
    context.body = { ...context.body, id_token };
  });
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith("/interaction/")) {
      void answer(request, response);
      return;
    }
    if (asks && request.method === "GET") {
      response.setHeader("content-type", "text/html").end(question);
      return;
    }
    const result =
      account === null
        ? { error: "access_denied", error_description: "they refused" }
        : { login: { accountId: account.sub } };
    void provider.interactionFinished(request, response, result);
  });
  return {
    issuer,
    signInAs(one: Account | null): void {
      account = one;
    },
    /** What it sends in place of its ID tokens from now on. */
    forge(one: Forge): void {
      forge = one;
    },
    /**
     * Goes where the console has sent a browser, and on until the provider sends it back: answers
     * where to.
     */
    async visit(url: string): Promise<string> {
      const cookies = new Map<string, string>();
      let next = url;
      while (next.startsWith(issuer)) {
        const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
        const given = await fetch(next, { redirect: "manual", headers: { cookie } });
        for (const line of given.headers.getSetCookie()) {
          const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
          cookies.set(name, value);
        }
        const location = given.headers.get("location");
        if (location === null)
          throw new Error(`${next} was answered ${given.status}: ${await given.text()}`);
        next = new URL(location, next).href;
      }
      return next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
