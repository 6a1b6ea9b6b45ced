import type * as OpenId from "openid-client";
import type { Claims, OperatorSignIn } from "../../domain/console/operator-sign-in.ts";
import { derivedFrom } from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";

/**
 * The sign-in at an identity provider: the authorization code flow of OpenID Connect Core 1.0
 * (section 3.1). It uses PKCE (RFC 7636), state and nonce. All three are derived from `secret`,
 * which only the browser has.
 */
export type IdentityProvider = {
  /** The address to send the browser to. @throws Fault `identity_provider_unavailable` */
  begin: (secret: string) => Promise<string>;
  /**
   * The provider's claims about the person who came back.
   * @param search the query string of the browser's request
   * @throws Fault `invalid_sign_in`, `insufficient_user_authentication`,
   *   `identity_provider_unavailable`
   */
  finish: (search: string, secret: string) => Promise<Claims>;
};

const timeoutS = 10;

/** The path that the provider sends the browser back to. */
const answerPath = "/console/openid/answer";

const purposes = {
  state: "chainbell sign-in state",
  nonce: "chainbell sign-in nonce",
  verifier: "chainbell sign-in verifier",
} as const;

/**
 * The state of the sign-in with this secret. The provider repeats it in the query of the browser's
 * answer. It does not reveal the secret.
 */
export function stateOf(secret: string): string {
  return derivedFrom(secret, purposes.state);
}

/**
 * Makes the client of an identity provider. The first sign-in reads the provider's description, and
 * later ones use the same.
 */
export function createIdentityProvider(settings: OperatorSignIn): IdentityProvider {
  const { clientId, clientSecret, issuer, consoleOrigin, acrValues, maxAgeS } = settings;
  const redirectUri = `${consoleOrigin}${answerPath}`;
  let known: Promise<OpenId.Configuration> | null = null;

  async function discover(openid: typeof OpenId): Promise<OpenId.Configuration> {
    const isPlain = new URL(issuer).protocol === "http:";
    const authentication =
      clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret);
    return openid.discovery(new URL(issuer), clientId, {}, authentication, {
      timeout: timeoutS,
      // TLS alone does not prove an ID token: its signature is checked with the provider's keys.
      execute: [
        openid.enableNonRepudiationChecks,
        // The configuration allows http only on this machine.
        ...(isPlain ? [openid.allowInsecureRequests] : []),
      ],
    });
  }

  async function reach() {
    // Most installations have no provider, so they do not load this library.
    const openid = await import("openid-client");
    known ??= discover(openid);
    try {
      return { openid, configuration: await known };
    } catch (cause) {
      known = null;
      throw unavailable(cause);
    }
  }

  return {
    async begin(secret) {
      const { openid, configuration } = await reach();
      const verifier = derivedFrom(secret, purposes.verifier);
      return openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: ["openid", ...settings.scopes].join(" "),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state: stateOf(secret),
        nonce: derivedFrom(secret, purposes.nonce),
        ...(acrValues.length === 0 ? {} : { acr_values: acrValues.join(" ") }),
        ...(maxAgeS === null ? {} : { max_age: String(maxAgeS) }),
      }).href;
    },
    async finish(search, secret) {
      const { openid, configuration } = await reach();
      const answer = new URL(redirectUri);
      answer.search = search;
      try {
        const tokens = await openid.authorizationCodeGrant(configuration, answer, {
          pkceCodeVerifier: derivedFrom(secret, purposes.verifier),
          expectedState: stateOf(secret),
          expectedNonce: derivedFrom(secret, purposes.nonce),
          idTokenExpected: true,
          ...(maxAgeS === null ? {} : { maxAge: maxAgeS }),
        });
        const claims = tokens.claims() ?? {};
        requireIssuedBy(Date.now(), claims);
        requireOneOf(acrValues, claims);
        return claims;
      } catch (cause) {
        throw faultOf(cause);
      }
    },
  };
}

/** The most seconds that the provider's clock may be ahead of ours. */
const clockToleranceS = 60;

/**
 * Refuses an `iat` in the future. OpenID Connect Core 1.0 (section 3.1.3.7, 10) lets the client
 * choose the bounds.
 */
function requireIssuedBy(nowMs: number, { iat }: Claims): void {
  if (typeof iat === "number" && iat <= nowMs / 1_000 + clockToleranceS) return;
  throw refused(new Error("The ID token was issued in the future."));
}

/**
 * Requires one of the methods. For a provider `acr_values` in the request is only a wish, so it may
 * accept a weaker sign-in.
 */
function requireOneOf(acrValues: readonly string[], { acr }: Claims): void {
  if (acrValues.length === 0 || acrValues.some((value) => value === acr)) return;
  throw insufficient({ acr: acr ?? null });
}

function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  if (isOutOfReach(cause)) return unavailable(cause);
  return isTooWeak(cause) ? insufficient({}, cause) : refused(cause);
}

/** True if the sign-in was too long ago, or if the provider could not meet what was asked. */
function isTooWeak(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ("error" in cause) return cause.error === "unmet_authentication_requirements";
  const { cause: at } = cause;
  const isOfTime = typeof at === "object" && at !== null && "claim" in at;
  return isOfTime ? at.claim === "auth_time" : isTooWeak(at);
}

function insufficient(facts: Record<string, unknown>, cause?: unknown): Fault {
  return new Fault(
    "insufficient_user_authentication",
    "Your sign-in is too old or too weak: sign in again with the required method.",
    { facts, cause },
  );
}

/** True if the provider did not answer, or not in time. */
function isOutOfReach(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return cause.message === "fetch failed" || ("code" in cause && cause.code === "OAUTH_TIMEOUT");
}

function unavailable(cause: unknown): Fault {
  return new Fault(
    "identity_provider_unavailable",
    "The identity provider cannot be reached. Try again, or sign in with an admin token.",
    { cause },
  );
}

function refused(cause: unknown): Fault {
  return new Fault("invalid_sign_in", "The sign-in failed: sign in again.", { cause });
}
