import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { type Fault, faultIn } from "../../../src/domain/fault.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-secrets-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function refusal(env: Record<string, string>): Promise<Fault> {
  const fault = await loadConfig(env, folder).then(
    () => undefined,
    (error: unknown) => faultIn(error),
  );
  if (fault === undefined) throw new Error("the configuration was accepted");
  return fault;
}

test.each(["x", "a".repeat(40), "0123456789abcdef0123456", "abcabcabcabcabcabcabcabcabc"])(
  "an operator's token that could be guessed is refused: %s",
  async (token) => {
    const fault = await refusal({ CHAINBELL_ADMIN_TOKENS: `ops:${token}` });
    expect(fault.message).toContain("at least 24 characters");
    expect(fault.message).not.toContain(`ops:${token}`);
  },
);

test.each([
  "ops@nobody",
  "ops@viewer@operator",
  "ops@viewer+read",
  "ops@read+all",
  "ops@read+read",
  "@viewer",
  "ops@",
])("an operator's role that is none is refused: %s", async (name) => {
  const env = { CHAINBELL_ADMIN_TOKENS: `${name}:t2-abcdefghijklmnopqrstu` };
  expect((await refusal(env)).message).toContain("name@viewer:token");
});

test("more than a hundred tokens of operators are refused, and none of them is shown", async () => {
  const tokens = (count: number) =>
    Array.from({ length: count }, (_, index) => `ops${index}:t${index}-abcdefghijklmnopqrstuvwx`);
  const most = await loadConfig({ CHAINBELL_ADMIN_TOKENS: tokens(100).join() }, folder);
  expect(most.adminTokens).toHaveLength(100);
  const fault = await refusal({ CHAINBELL_ADMIN_TOKENS: tokens(101).join() });
  expect(fault.message).toContain("CHAINBELL_ADMIN_TOKENS: has 101 tokens, and 100 are the most");
  expect(fault.message).not.toContain("abcdefghij");
});

describe("a secret in a file", () => {
  const secret = (name: string, text: string) => writeFile(join(folder, name), text);

  test("is taken as if it were the variable", async () => {
    await secret("tokens", "ann:t1-abcdefghijklmnopqrstuv\n");
    const config = await loadConfig({ CHAINBELL_ADMIN_TOKENS_FILE: "tokens" }, folder);
    expect(config.adminTokens).toMatchObject([{ token: "t1-abcdefghijklmnopqrstuv" }]);
  });

  test("is a fault where the file is not there, and where the variable is set too", async () => {
    const fault = await refusal({
      CHAINBELL_ADMIN_TOKENS_FILE: "nowhere",
      DATABASE_URL: "postgres://a@b/c",
      DATABASE_URL_FILE: "nowhere",
    });
    expect(fault.message).toContain("CHAINBELL_ADMIN_TOKENS_FILE: cannot be read: ENOENT");
    expect(fault.message).toContain("DATABASE_URL_FILE: is set beside DATABASE_URL");
  });
});

test("a file for the database's URL that is empty does not start development mode", async () => {
  await writeFile(join(folder, "url"), "\n");
  const fault = await refusal({ DATABASE_URL_FILE: "url" });
  expect(fault.message).toContain("DATABASE_URL: is required in production");
});
