import { hash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../domain/evidence/canonical-json.ts";
import {
  hasSigned,
  type Sign,
  type SignedThing,
  signedText,
  statedSignature,
} from "../domain/evidence/signing-key.ts";

// JSON documents that the installation signs.

/** The fields that every signed document has in addition to its own. */
export const signedFields = z.object({
  /** SHA-256 in hex of all other fields, as canonical JSON (RFC 8785). */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.object({ key_id: z.string(), algorithm: z.literal("ed25519"), value: z.string() }),
});

type SignedFields = z.output<typeof signedFields>;

/** Adds to a document the digest of all of it, and the installation's signature of that digest. */
export async function signDocument<Covered extends object>(
  sign: Sign,
  what: SignedThing,
  covered: Covered,
): Promise<Covered & SignedFields> {
  const digest = hash("sha256", canonicalJson(covered));
  const signature = statedSignature(await sign(signedText(what, digest)));
  return { ...covered, digest, signature };
}

/**
 * `changed`: the document was changed after it was signed. `other_key`: none of the given keys
 * signed it, so anybody may have made it.
 */
export type Signedness = "signed" | "changed" | "other_key";

type Expected<Schema> = {
  what: SignedThing;
  schema: Schema;
  /** Each the base64 of 32 bytes. They must come from elsewhere than the document itself. */
  publicKeys: readonly string[];
};

/** Reads a signed document. Null: the text is no such document. */
export function readSigned<Schema extends z.ZodType>(
  text: string,
  { what, schema, publicKeys }: Expected<Schema>,
): { document: z.output<Schema>; signedness: Signedness } | null {
  const whole = json.pipe(z.looseObject(signedFields.shape)).safeParse(text);
  const parsed = schema.safeParse(whole.data);
  if (!whole.success || !parsed.success) return null;
  // All fields as they are written, including those that the schema does not know.
  const { digest, signature, ...covered } = whole.data;
  const { key_id: keyId, value } = signature;
  const isWhole = hash("sha256", canonicalJson(covered)) === digest;
  const isSigned = publicKeys.some((key) =>
    hasSigned(key, signedText(what, digest), { keyId, value }),
  );
  const signedness = !isWhole ? "changed" : isSigned ? "signed" : "other_key";
  return { document: parsed.data, signedness };
}

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: "custom", message: "expected JSON", input: text });
    return z.NEVER;
  }
});
