import { valuesField } from "./fields.ts";

/** The parameter `include` of a list: optional fields for each row. Refuses unknown names. */
export function includeFieldOf<Name extends string>(names: readonly Name[], example: string) {
  const rule = `expected some of ${names.join(", ")}, with commas between them`;
  const listed = names.map((name) => `\`${name}\``).join(", ");
  const isNamed = (text: string): text is Name => names.some((name) => name === text);
  return valuesField(isNamed, { rule })
    .optional()
    .meta({
      type: "string",
      description: `Further fields of each row, with commas between them: ${listed}.`,
      examples: [example],
    });
}

/** The optional fields of a row that were asked for. */
export function included<Row, Name extends keyof Row & string>(
  row: Row,
  names: readonly Name[],
): { [Field in Name]?: Row[Field] } {
  const fields: { [Field in Name]?: Row[Field] } = {};
  for (const name of names) fields[name] = row[name];
  return fields;
}
