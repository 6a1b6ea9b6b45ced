// Writes chainbell.schema.json, the JSON Schema of chainbell.yaml, from the schema that reads that
// file.
// Usage: node scripts/run.mjs config-schema
import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/config/schema/json-schema.ts";
import { inCheckout } from "../test/support/checkout.ts";

writeFileSync(inCheckout("chainbell.schema.json"), configJsonSchema());
