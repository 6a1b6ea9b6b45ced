import { createHmac, timingSafeEqual } from "node:crypto";

// The receiver's kit: `import { verify } from "chainbell/verify"`. It depends on nothing but Node.

/** Why a request is not believed. */
export type Refusal =
  | "missing_signature"
  | "wrong_signature"
  | "bad_timestamp"
  | "outside_tolerance";

export type Verdict =
  | { genuine: true; form: "standard" | "plain"; notification: unknown }
  | { genuine: false; reason: Refusal };

export type VerifyInput = {
  /** The bytes as they arrived, before anything parsed them. */
  rawBody: Uint8Array | string;
  /** As Node gives them: names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** `whsec_…`, as shown at registration. During a rotation: the old one, the new one, or both. */
  secret: string | readonly string[];
  /** Most seconds between the signature's timestamp and now, both ways. 300 is what the Standard Webhooks libraries use. */
  toleranceSec: number;
  /** Unix seconds. */
  nowSec: number;
};

/**
 * Says whether a request comes from Chainbell. Where the Standard Webhooks headers are there, they decide: signature
 * over `id.timestamp.body` and a timestamp within the tolerance, which keeps replays out. Else the plain
 * `X-Webhook-Signature` decides, which has no timestamp. Compares in constant time. Never throws for what arrived.
 */
export function verify(input: VerifyInput): Verdict {
  const { headers, secret } = input;
  const secrets = typeof secret === "string" ? [secret] : secret;
  const rawBody =
    typeof input.rawBody === "string" ? Buffer.from(input.rawBody) : Buffer.from(input.rawBody);
  const standard = one(headers["webhook-signature"]);
  if (standard !== null)
    return verifyStandard({ ...input, secrets, rawBody, signatures: standard });
  const plain = [headers["x-webhook-signature"], headers["x-webhook-signature-next"]].map(one);
  const given = plain
    .filter((signature) => signature !== null)
    .map((signature) => Buffer.from(signature, "hex"));
  if (given.length === 0) return { genuine: false, reason: "missing_signature" };
  const expected = secrets.map((key) => createHmac("sha256", key).update(rawBody).digest());
  return isAnyEqual(given, expected)
    ? believed("plain", rawBody)
    : { genuine: false, reason: "wrong_signature" };
}

function verifyStandard(
  input: VerifyInput & { secrets: readonly string[]; rawBody: Buffer; signatures: string },
): Verdict {
  const { headers, secrets, rawBody, signatures, toleranceSec, nowSec } = input;
  const id = one(headers["webhook-id"]);
  const timestamp = one(headers["webhook-timestamp"]);
  if (id === null || timestamp === null) return { genuine: false, reason: "missing_signature" };
  if (!/^\d{1,12}$/.test(timestamp)) return { genuine: false, reason: "bad_timestamp" };
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), rawBody]);
  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return createHmac("sha256", key).update(signed).digest();
  });
  const given = signatures.split(" ").flatMap((part) => {
    const [version, signature] = part.split(",");
    return version === "v1" && signature !== undefined ? [Buffer.from(signature, "base64")] : [];
  });
  if (!isAnyEqual(given, expected)) return { genuine: false, reason: "wrong_signature" };
  // After the signature, so that a stranger learns nothing from it.
  if (Math.abs(nowSec - Number(timestamp)) > toleranceSec)
    return { genuine: false, reason: "outside_tolerance" };
  return believed("standard", rawBody);
}

function believed(form: "standard" | "plain", rawBody: Buffer): Verdict {
  return { genuine: true, form, notification: JSON.parse(rawBody.toString("utf8")) };
}

/** Compares all pairs, whatever the outcome of each. */
function isAnyEqual(given: Buffer[], expected: Buffer[]): boolean {
  let isEqual = false;
  for (const left of given) {
    for (const right of expected) {
      if (left.length === right.length && timingSafeEqual(left, right)) isEqual = true;
    }
  }
  return isEqual;
}

function one(header: string | string[] | undefined): string | null {
  const value = Array.isArray(header) ? header[0] : header;
  return value === undefined || value === "" ? null : value;
}
