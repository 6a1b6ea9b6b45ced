import { digestOf, type OperatorRole } from "./session.ts";

/** The sign-in of operators to the console at an identity provider (OpenID Connect). */
export type OperatorSignIn = {
  /** The provider's issuer identifier, a URL (OpenID Connect Discovery 1.0, section 2). */
  issuer: string;
  clientId: string;
  /** Null: a public client, which only PKCE protects. */
  clientSecret: string | null;
  /** The origin at which browsers reach the console, such as `https://chainbell.example`. */
  consoleOrigin: string;
  /** The scopes that are asked for, besides `openid`. */
  scopes: readonly string[];
  /** The claim of the ID token that names a person's role. */
  claim: string;
  /**
   * Values of that claim. With one of `operators` a person may do everything, and with one of
   * `viewers` only read.
   */
  operators: readonly string[];
  viewers: readonly string[];
  /**
   * The accepted ways of signing in at the provider (`acr`, OpenID Connect Core 1.0, section 2).
   * Empty: every way is accepted.
   */
  acrValues: readonly string[];
  /**
   * The most seconds since the person authenticated at the provider (`auth_time`). Null: no limit.
   */
  maxAgeS: number | null;
};

/**
 * A digest of the settings that decide who may sign in, how, and as what. A session that began
 * under others is over.
 */
export function credentialOf(settings: OperatorSignIn): string {
  const { issuer, clientId, claim, operators, viewers, acrValues, maxAgeS } = settings;
  const lists = [operators, viewers, acrValues].map((words) => [...words].sort());
  return digestOf(JSON.stringify([issuer, clientId, claim, ...lists, maxAgeS]));
}

/** The claims of an ID token about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The larger role that the claims give; null: none, so the person may not sign in. The claim is a
 * text or a list of texts.
 */
export function operatorRoleIn(
  claims: Claims,
  { claim, operators, viewers }: Pick<OperatorSignIn, "claim" | "operators" | "viewers">,
): OperatorRole | null {
  const value = claims[claim];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const hasOneOf = (words: readonly string[]) => words.some((word) => given.includes(word));
  if (hasOneOf(operators)) return "operator";
  return hasOneOf(viewers) ? "viewer" : null;
}

/** The longest name in the audit trail, in characters. */
const longestName = 200;

/** Control, format and lone surrogate characters. A terminal or a page would act on them. */
const unshown = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The operator's name in the audit trail. It is `oidc:` and the email address that the provider has
 * verified. Else it has the provider's own id of the person. No admin token can have such a name.
 * Null: the name has unprintable characters, so the person may not sign in.
 */
export function operatorNameIn(claims: Claims): string | null {
  const { email, email_verified: isVerified, sub } = claims;
  const name = typeof email === "string" && isVerified === true ? email : String(sub);
  return unshown.test(name) ? null : `oidc:${name}`.slice(0, longestName);
}
