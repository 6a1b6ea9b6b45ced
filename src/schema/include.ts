import { z } from "zod";

/**
 * The parameter `include` of a list: fields that each row has beside those that it always has.
 * Other names are refused.
 */
export function includeFieldOf<Name extends string>(names: readonly Name[], example: string) {
  const rule = `expected some of ${names.join(", ")}, with commas between them`;
  const isNamed = (text: string): text is Name => names.some((name) => name === text);
  return z
    .string()
    .transform((text, context): Name[] => {
      const asked = text.split(",");
      if (asked.every(isNamed)) return asked;
      context.issues.push({ code: "custom", message: rule, input: text });
      return z.NEVER;
    })
    .optional()
    .meta({
      type: "string",
      description: `Further fields of each row, with commas between them: ${names.join(", ")}.`,
      examples: [example],
    });
}

/** The fields of a row that were asked for. */
export function included<Row, Name extends keyof Row & string>(
  row: Row,
  names: readonly Name[],
): { [Field in Name]?: Row[Field] } {
  const fields: { [Field in Name]?: Row[Field] } = {};
  for (const name of names) fields[name] = row[name];
  return fields;
}
