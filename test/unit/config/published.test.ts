import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

test("chainbell.schema.json is what the reader of the file accepts (node scripts/run.mjs config-schema)", async () => {
  expect(await readFile(`${root}chainbell.schema.json`, "utf8")).toBe(configJsonSchema());
});

test("chainbell.example.yaml is accepted as it is, in production", async () => {
  const env = {
    CHAINBELL_CONFIG: "chainbell.example.yaml",
    DATABASE_URL: "postgres://localhost/chainbell",
    CHAINBELL_ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
  };
  const config = await loadConfig(env, root);
  expect(config.chains.map((chain) => chain.name)).toEqual(["ethereum", "base"]);
  expect(config.chains[0]?.nativeAsset?.price).toEqual({ kind: "fixed", usd: "2500.00" });
});
