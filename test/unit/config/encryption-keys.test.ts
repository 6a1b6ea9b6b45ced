import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { secretsOf } from "../../../src/config/secrets.ts";

const bytesOf = (byte: number) => new Uint8Array(32).fill(byte);
const textOf = (byte: number) => Buffer.from(bytesOf(byte)).toString("base64");

const load = (keys: string) => loadConfig({ CHAINBELL_ENCRYPTION_KEY: keys }, tmpdir());

test("one key stands alone, and several have names, the first of which encrypts", async () => {
  expect((await load(textOf(1))).encryptionKeys).toEqual([{ id: "key", bytes: bytesOf(1) }]);
  expect((await load(`2026:${textOf(2)}, 2025:${textOf(1)}`)).encryptionKeys).toEqual([
    { id: "2026", bytes: bytesOf(2) },
    { id: "2025", bytes: bytesOf(1) },
  ]);
  expect((await load(`2026:${textOf(2)}`)).encryptionKeys).toEqual([
    { id: "2026", bytes: bytesOf(2) },
  ]);
});

test("each of them is a secret", async () => {
  const secrets = secretsOf(await load(`a:${textOf(1)},b:${textOf(2)}`));
  expect(secrets).toEqual(expect.arrayContaining([textOf(1), textOf(2)]));
});

test.each([
  ["short", "32 bytes in base64"],
  [`a:${textOf(1)},b:short`, "32 bytes in base64"],
  [`${textOf(1)},${textOf(2)}`, "id:key"],
  [`a b:${textOf(1)},c:${textOf(2)}`, "id:key"],
  [`a:b:${textOf(1)},c:${textOf(2)}`, "id:key"],
  [`a:${textOf(1)},a:${textOf(2)}`, "each id and each key once"],
  [`a:${textOf(1)},b:${textOf(1)}`, "each id and each key once"],
])("keys that cannot be used are refused without being shown: %#", async (keys, why) => {
  const refused = load(keys);
  await expect(refused).rejects.toThrow(why);
  await expect(refused).rejects.not.toThrow(textOf(1));
});
