import { z } from "zod";
import { fileSchema } from "./file-schema.ts";

/** The text of chainbell.schema.json, with which an editor checks chainbell.yaml. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: "input", target: "draft-2020-12" });
  return `${formatted(JSON.stringify(schema, null, 2))}\n`;
}

const lineWidth = 100;

/** Puts short lists on one line, as the formatter of this repository does. */
function formatted(json: string): string {
  return json.replace(/^( *)(.*)\[([^[\]{}]*)\](,?)$/gm, (whole, indent, key, items, comma) => {
    const line = `${indent}${key}[${items.trim().replace(/\s*\n\s*/g, " ")}]${comma}`;
    return line.length > lineWidth ? whole : line;
  });
}
