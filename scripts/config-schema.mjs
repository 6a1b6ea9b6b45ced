// Writes chainbell.schema.json, the JSON Schema of chainbell.yaml, from the schema that reads that file.
// Usage: node scripts/config-schema.mjs
import { writeFileSync } from "node:fs";
import { prepare } from "./prepare.mjs";

prepare();
const { configJsonSchema } = await import("../dist/config/json-schema.js");
writeFileSync(new URL("../chainbell.schema.json", import.meta.url), configJsonSchema());
