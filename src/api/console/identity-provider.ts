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
   * @throws Fault `invalid_sign_in`, `identity_provider_unavailable`
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
  const { clientId, clientSecret, issuer, consoleOrigin } = settings;
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
        });
        return tokens.claims() ?? {};
      } catch (cause) {
        throw isOutOfReach(cause) ? unavailable(cause) : refused(cause);
      }
    },
  };
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
