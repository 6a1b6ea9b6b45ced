import { createCipheriv, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decryptSecret, encryptSecret, keyCheckOf } from "../../../../src/domain/webhook/secret.ts";
import { keyringOf } from "../../../support/keyring.ts";

const key = keyringOf(7);
const [mine, another] = [
  "01900000-0000-7000-8000-000000000001",
  "01900000-0000-7000-8000-000000000002",
];
const refused = expect.objectContaining({ code: "wrong_encryption_key" });

describe("an encrypted secret", () => {
  it("is read by its business with its key, and in no other way", () => {
    const stored = encryptSecret(key, "whsec_1", mine);
    expect(decryptSecret(key, stored, mine)).toBe("whsec_1");
    expect(() => decryptSecret(key, stored, another)).toThrow(refused);
    expect(() => decryptSecret(keyringOf(8), stored, mine)).toThrow(refused);
    expect(() => decryptSecret(key, stored.replace("v2:", ""), mine)).toThrow(refused);
    expect(() => decryptSecret(key, `${stored.slice(0, -8)}AAAAAAA=`, mine)).toThrow(refused);
  });

  it("of before 0.2.0 is read, too", () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key[0].bytes, iv);
    const sealed = Buffer.concat([cipher.update("whsec_old"), cipher.final()]);
    const stored = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
    expect(decryptSecret(key, stored, mine)).toBe("whsec_old");
    expect(() => decryptSecret(key, `v2:${stored}`, mine)).toThrow(refused);
  });
});

it("two keys have different checks, and one key always the same", () => {
  expect(keyCheckOf(key[0])).toBe(keyCheckOf(keyringOf(7)[0]));
  expect(keyCheckOf(key[0])).not.toBe(keyCheckOf(keyringOf(8)[0]));
});
