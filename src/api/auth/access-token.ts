import { hkdfSync } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { Fault, faultIn } from "../../domain/fault.ts";
import { idAt, isId } from "../../domain/id.ts";
import type { EncryptionKey, Keyring } from "../../domain/webhook/secret.ts";

/** Who a token speaks for. The key's state is looked up at each use, so a token dies with its key. */
type TokenHolder = { keyId: string; businessId: string };

export type AccessTokens = {
  mint: (holder: TokenHolder) => Promise<MintedToken>;
  /** @throws Fault `invalid_access_token`, `access_token_expired` */
  read: (token: string) => Promise<ReadToken>;
};

/** `token` opens the API for that long; what else there is says nothing of it. */
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

/** What its tokens are for: none of another use of the same key opens the API. */
const audience = "chainbell business api";

/** RFC 9068: distinguishes an access token from any other JWT. */
const type = "at+jwt";

/** One algorithm, named on both sides: what a token says of itself chooses nothing. */
const algorithm = "HS256";

/**
 * Access tokens as JWT (RFC 7519), signed with HS256 under a key that HKDF (RFC 5869) derives from the encryption
 * key: every process of a deployment accepts them, and none is looked up but by the ids of those that were ended. Where the
 * encryption key is being replaced, those of each key are accepted.
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

/** The signature is looked at first: an expired token was signed with the key that it was tried with. */
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
      throw new Fault(
        "access_token_expired",
        "The access token has expired: ask POST /auth/token for another one.",
        { cause },
      );
    }
    throw invalidToken(cause);
  }
}

function invalidToken(cause: unknown): Fault {
  return new Fault("invalid_access_token", "The access token is not valid.", { cause });
}
