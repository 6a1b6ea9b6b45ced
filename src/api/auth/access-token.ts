import { hkdfSync } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { Fault, faultIn } from "../../domain/fault.ts";
import { idAt, isId } from "../../domain/id.ts";
import type { EncryptionKey, Keyring } from "../../domain/webhook/secret.ts";

/**
 * The key and the business of a token. At each use the key's state is at most 1 s old, so a token
 * dies with its key.
 */
type TokenHolder = { keyId: string; businessId: string };

export type AccessTokens = {
  mint: (holder: TokenHolder) => Promise<MintedToken>;
  /** @throws Fault `invalid_access_token`, `access_token_expired` */
  read: (token: string) => Promise<ReadToken>;
};

/** A new token. Only `token` opens the API; the other fields reveal nothing of it. */
type MintedToken = {
  token: string;
  expiresInS: number;
  id: string;
  createdAt: Date;
  expiresAt: Date;
};

/** A token by its own id (`jti`), which ends with `expiresAt` at the latest. */
export type ReadToken = { id: string; keyId: string; expiresAt: Date };

const issuer = "chainbell";

/**
 * The audience of access tokens. A token that the same key signed for another use does not open the
 * API.
 */
const audience = "chainbell business api";

/** RFC 9068: distinguishes an access token from any other JWT. */
const type = "at+jwt";

/** The one algorithm, named on both sides: a token does not choose its own. */
const algorithm = "HS256";

/**
 * Access tokens as JWT (RFC 7519), signed with HS256. HKDF (RFC 5869) derives the signing key from
 * the encryption key, so every process of a deployment accepts the tokens. A token is looked up
 * only by its id, among the tokens that were ended. While the encryption key is being replaced, the
 * tokens of each key are accepted.
 */
export function createAccessTokens(deps: {
  keyring: Keyring;
  lifetimeS: number;
  clock: { now: () => number };
}): AccessTokens {
  const { lifetimeS, clock } = deps;
  const [first, ...others] = deps.keyring;
  const key = signingKeyOf(first);
  const otherKeys = others.map(signingKeyOf);

  return {
    async mint({ keyId, businessId }) {
      const issuedS = Math.floor(clock.now() / 1_000);
      const endS = issuedS + lifetimeS;
      const id = idAt(clock.now());
      const token = await new SignJWT({ key_id: keyId })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(businessId)
        .setJti(id)
        .setIssuedAt(issuedS)
        .setExpirationTime(endS)
        .sign(key);
      const [createdAt, expiresAt] = [new Date(issuedS * 1_000), new Date(endS * 1_000)];
      return { token, expiresInS: lifetimeS, id, createdAt, expiresAt };
    },
    async read(token) {
      const { payload } = await verifyWithAny(token, [key, ...otherKeys], new Date(clock.now()));
      const keyId = payload["key_id"];
      const { jti: id = "", exp = 0 } = payload;
      if (typeof keyId !== "string" || !isId(keyId) || !isId(id)) throw invalidToken(undefined);
      return { id, keyId, expiresAt: new Date(exp * 1_000) };
    },
  };
}

function signingKeyOf({ bytes }: EncryptionKey): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", bytes, new Uint8Array(), "chainbell access token", 32));
}

type SigningKeys = readonly [Uint8Array, ...Uint8Array[]];

/**
 * Tries the keys in turn. The signature is checked before the expiry, so an expired token was
 * signed with the key at hand.
 */
async function verifyWithAny(
  token: string,
  [key, ...others]: SigningKeys,
  currentDate: Date,
): ReturnType<typeof verify> {
  try {
    return await verify(token, key, currentDate);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || faultIn(error)?.code === "access_token_expired") throw error;
    return verifyWithAny(token, [next, ...rest], currentDate);
  }
}

async function verify(token: string, key: Uint8Array, currentDate: Date) {
  try {
    return await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: type,
      currentDate,
      requiredClaims: ["exp", "iat", "sub", "jti", "key_id"],
    });
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) {
      throw tokenExpired(cause);
    }
    throw invalidToken(cause);
  }
}

export function tokenExpired(cause?: unknown): Fault {
  return new Fault(
    "access_token_expired",
    "The access token has expired: get another one from POST /auth/token.",
    { cause },
  );
}

function invalidToken(cause: unknown): Fault {
  return new Fault(
    "invalid_access_token",
    "The access token is not valid: get another one from POST /auth/token.",
    { cause },
  );
}
