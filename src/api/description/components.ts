import type { Document, Parameter } from "./document.ts";
import { operationsOf, reference } from "./document.ts";

/**
 * Describes each parameter of several operations once: `limit` is #/components/parameters/Limit. A
 * parameter of the path stays in its operation, for its meaning depends on the path.
 */
export function shareParameters(document: Document): void {
  const operations = operationsOf(document).map(({ operation }) => operation);
  const counts = new Map<string, number>();
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shared: Record<string, Parameter> = {};
  const share = (parameter: Parameter): Parameter => {
    const text = JSON.stringify(parameter);
    if ("$ref" in parameter || parameter.in === "path") return parameter;
    if ((counts.get(text) ?? 0) < 2) return parameter;
    const name = nameOf(parameter);
    shared[name] ??= parameter;
    // Another parameter with the same name stays in its operation.
    return JSON.stringify(shared[name]) === text ? reference("parameters", name) : parameter;
  };
  for (const operation of operations) {
    if (operation.parameters !== undefined) operation.parameters = operation.parameters.map(share);
  }
  document.components.parameters = { ...document.components.parameters, ...shared };
}

function nameOf({ name }: Extract<Parameter, { name: string }>): string {
  return name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Removes schemas without a reference. For each named schema the generator makes two: one for
 * requests, whose name ends in Input, and one for answers. If only the first is in use, that ending
 * is removed.
 */
export function dropUnusedSchemas(document: Document): Document {
  const { schemas } = document.components;
  for (let isChanged = true; isChanged; ) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !text.includes(quoted(name)));
    for (const name of unused) delete schemas[name];
    isChanged = unused.length > 0;
  }
  return Object.keys(schemas)
    .filter((name) => name !== givenName(name) && !(givenName(name) in schemas))
    .reduce(withoutEnding, document);
}

/** The name that a schema was given, without the ending of its form for requests. */
export function givenName(name: string): string {
  return name.replace(/Input$/, "");
}

function withoutEnding(document: Document, name: string): Document {
  const shorter = givenName(name);
  const text = JSON.stringify(document).replaceAll(quoted(name), quoted(shorter));
  const renamed: Document = JSON.parse(text);
  const entries = Object.entries(renamed.components.schemas);
  renamed.components.schemas = Object.fromEntries(
    entries.map(([key, schema]) => [key === name ? shorter : key, schema]),
  );
  return renamed;
}

function quoted(name: string): string {
  return JSON.stringify(reference("schemas", name).$ref);
}
