import { hkdfSync } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { Fault, faultIn } from "../../domain/fault.ts";
import { idAt, isId } from "../../domain/id.ts";
import type { EncryptionKey, Keyring } from "../../domain/webhook/secret.ts";

/**
 * The key and the business of a token. Each use checks the key, with a state at most 1 s old. So a
 * token ends when its key does.
 */
type TokenHolder = { keyId: string; businessId: string };

export type AccessTokens = {
  mint: (holder: TokenHolder) => Promise<MintedToken>;
  /** @throws Fault `invalid_access_token`, `access_token_expired` */
  read: (token: string) => Promise<ReadToken>;
};

/** A new token. Only `token` gives access to the API; the other fields reveal nothing about it. */
type MintedToken = {
  token: string;
  expiresInS: number;
  id: string;
  createdAt: Date;
  expiresAt: Date;
};

/** A token by its own id (`jti`). It expires at `expiresAt`, if it is not ended before. */
export type ReadToken = { id: string; keyId: string; expiresAt: Date };

const issuer = "chainbell";

/** The audience of access tokens. It excludes tokens that the same key signed for another use. */
const audience = "chainbell business api";

/** RFC 9068: distinguishes an access token from any other JWT. */
const type = "at+jwt";

/** The only algorithm. Signing and verifying both name it, so a token cannot choose another one. */
const algorithm = "HS256";

/**
 * Access tokens as JWT (RFC 7519), signed with HS256. HKDF (RFC 5869) derives the signing key from
 * the encryption key, so every process of a deployment accepts the tokens. The database is asked
 * only whether a token's id was ended. During a change of the encryption key, tokens of each key
 * are accepted.
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
 * Tries each key. The signature is checked before the expiry, so a token that counts as expired was
 * signed with that key.
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
