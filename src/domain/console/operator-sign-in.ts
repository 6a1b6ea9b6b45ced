import type { OperatorRole } from "./session.ts";

/** How operators sign in to the console at an identity provider (OpenID Connect). */
export type OperatorSignIn = {
  /** The provider's issuer identifier, a URL (OpenID Connect Discovery 1.0, section 2). */
  issuer: string;
  clientId: string;
  /** Null: a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** The origin at which browsers reach the console, such as `https://chainbell.example`. */
  consoleOrigin: string;
  /** What is asked for beside `openid`. */
  scopes: readonly string[];
  /** The claim of the ID token that says which role somebody has. */
  claim: string;
  /** Values of that claim. Whoever has one of `operators` may do everything, one of `viewers` look. */
  operators: readonly string[];
  viewers: readonly string[];
  /** Of which one must be how somebody signed in there (`acr`, OpenID Connect Core 1.0, section 2). Empty: however they did. */
  acrValues: readonly string[];
  /** How long ago somebody may have shown at most, in seconds, who they are (`auth_time`). Null: however long. */
  maxAgeS: number | null;
};

/** What an ID token says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

/** The larger role that the claims give; null: none, so nobody is let in. The claim is a text or a list of texts. */
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

/** No more of a name goes on record. */
const longestName = 200;

/**
 * Who somebody is on record: `oidc:` and their address where the provider has verified it, else what the provider calls them.
 * No admin token can have such a name.
 */
export function operatorNameIn(claims: Claims): string {
  const { email, email_verified: isVerified, sub } = claims;
  const name = typeof email === "string" && isVerified === true ? email : String(sub);
  return `oidc:${name}`.slice(0, longestName);
}
