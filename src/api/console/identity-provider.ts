import type * as OpenId from "openid-client";
import type { Claims, OperatorSignIn } from "../../domain/console/operator-sign-in.ts";
import { derivedFrom } from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";

/**
 * Signing in at an identity provider: the authorization code flow of OpenID Connect Core 1.0 (section 3.1) with PKCE (RFC 7636),
 * state and nonce. `secret` is the browser's alone, and all three follow from it.
 */
export type IdentityProvider = {
  /** Where the browser is sent. @throws Fault `identity_provider_unavailable` */
  begin: (secret: string) => Promise<string>;
  /**
   * What the provider says of whoever came back.
   * @param search the query that the browser brought
   * @throws Fault `invalid_sign_in`, `insufficient_user_authentication`, `identity_provider_unavailable`
   */
  finish: (search: string, secret: string) => Promise<Claims>;
};

const timeoutS = 10;

/** Where the provider sends the browser back to. */
const answerPath = "/console/openid/answer";

const purposes = {
  state: "chainbell sign-in state",
  nonce: "chainbell sign-in nonce",
  verifier: "chainbell sign-in verifier",
} as const;

/** Nothing is asked before somebody signs in; what the provider says of itself is then kept. */
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
      // That an ID token came over TLS is not enough: its signature is held against the provider's keys.
      execute: [
        openid.enableNonRepudiationChecks,
        // The configuration takes http on this machine alone.
        ...(isPlain ? [openid.allowInsecureRequests] : []),
      ],
    });
  }

  async function reach() {
    // Most installations have no provider: they do not load it.
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
        state: derivedFrom(secret, purposes.state),
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
          expectedState: derivedFrom(secret, purposes.state),
          expectedNonce: derivedFrom(secret, purposes.nonce),
          idTokenExpected: true,
          ...(maxAgeS === null ? {} : { maxAge: maxAgeS }),
        });
        const claims = tokens.claims() ?? {};
        requireOneOf(acrValues, claims);
        return claims;
      } catch (cause) {
        throw faultOf(cause);
      }
    },
  };
}

/** What is asked for in the request is a wish there: a provider may sign somebody in by less. */
function requireOneOf(acrValues: readonly string[], { acr }: Claims): void {
  if (acrValues.length === 0 || acrValues.some((value) => value === acr)) return;
  throw insufficient({ acr: acr ?? null });
}

function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  if (isOutOfReach(cause)) return unavailable(cause);
  return isTooWeak(cause) ? insufficient({}, cause) : refused(cause);
}

/** It was too long ago, or the provider itself could not have it as was asked. */
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
    "The identity provider has signed you in by less than is asked for here, or too long ago: sign in there anew.",
    { facts, cause },
  );
}

/** Nothing was answered, or not in time. */
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
  return new Fault("invalid_sign_in", "The sign-in was not completed: begin again.", { cause });
}
