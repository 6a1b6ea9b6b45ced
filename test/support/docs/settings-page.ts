import { configJsonSchema } from "../../../src/config/schema/json-schema.ts";
import { type DescribedField, fieldList, withContents } from "./markdown.ts";

const head = `# Settings of the file

Every key of \`chainbell.yaml\`. This page is made from the schema that checks the file, which is
[chainbell.schema.json](../chainbell.schema.json). Do not edit it here: run \`npm test -- unit/docs -u\`.
[chainbell.example.yaml](../chainbell.example.yaml) shows the keys in use. [The contract](contract.md#4-configuration)
says how changes are applied, and has the [variables of the environment](contract.md#environment) and a table of all
[limits](contract.md#limits). \`[]\` stands for each entry of a list, and \`*\` for a name of your choice.
`;

type Setting = {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Setting>;
  additionalProperties?: boolean | Setting;
  items?: Setting;
  anyOf?: Setting[];
  oneOf?: Setting[];
  required?: string[];
};

/** docs/settings.md. */
export function settingsPage(): string {
  const schema: Setting = JSON.parse(configJsonSchema());
  const sections = Object.entries(schema.properties ?? {}).map(([name, setting]) => {
    const isNeeded = (schema.required ?? []).includes(name);
    return `## ${name}\n\n${fieldList(keysOf(name, setting, isNeeded))}`;
  });
  return withContents([head, ...sections].join("\n"));
}

/** The key itself, and every key below it. One that several forms share stands once. */
function keysOf(path: string, setting: Setting, isNeeded: boolean): DescribedField[] {
  const own = {
    name: path,
    type: `${takes(setting)}${isNeeded ? ", required" : ""}`,
    meaning: setting.description ?? "",
  };
  const keys = new Map([[path, own]]);
  for (const key of below(path, setting)) if (!keys.has(key.name)) keys.set(key.name, key);
  return [...keys.values()];
}

function below(path: string, setting: Setting): DescribedField[] {
  const { properties = {}, required = [], items, additionalProperties: others } = setting;
  const forms = [...(setting.anyOf ?? []), ...(setting.oneOf ?? [])];
  return [
    ...Object.entries(properties).flatMap(([name, one]) =>
      keysOf(`${path}.${name}`, one, required.includes(name)),
    ),
    ...(items === undefined ? [] : below(`${path}[]`, items)),
    ...(typeof others === "object" ? keysOf(`${path}.*`, others, false) : []),
    ...forms.flatMap((form) => below(path, form)),
  ];
}

function takes({ type, enum: words, const: only, items, anyOf, oneOf }: Setting): string {
  if (only !== undefined) return `\`${String(only)}\``;
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(", ");
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return [...new Set(forms.map(takes))].join(" or ");
  if (items !== undefined) return `list of ${takes(items)}`;
  return [type ?? "any"].flat().join(" or ");
}
