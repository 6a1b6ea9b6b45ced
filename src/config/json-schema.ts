import { z } from "zod";
import { fileSchema } from "./file-schema.ts";

/** The text of chainbell.schema.json: what an editor checks chainbell.yaml against while it is written. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: "input", target: "draft-2020-12" });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
