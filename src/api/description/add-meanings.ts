import { givenName } from "./components.ts";
import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
} from "./document.ts";
import { meanings } from "./meanings.ts";
import { placedMeanings } from "./placed-meanings.ts";

/** Describes every field and parameter that has no description of its own, by its name. */
export function addMeanings(document: Document): void {
  for (const { path, operation } of operationsOf(document)) {
    const group = operation.tags?.[0] ?? "";
    for (const parameter of operation.parameters ?? []) describeParameter(parameter, group, path);
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      describeFields(schema, { group, place: "body" });
    for (const schema of answersOf(operation)) describeFields(schema, { group, place: null });
  }
  for (const [id, schema] of Object.entries(document.components.schemas))
    describeFields(schema, { group: "", place: givenName(id) });
}

/**
 * `place`: `query`, the segment before a parameter of the path, `body`, the name of the schema, or
 * that of the enclosing field.
 */
type Context = { group: string; place: string | null };

function meaningOf(name: string, { group, place }: Context): string | undefined {
  const placed = place === null ? name : `${place}.${name}`;
  return (
    placedMeanings[`${group}:${placed}`] ??
    placedMeanings[placed] ??
    placedMeanings[`${group}:${name}`] ??
    meanings[name]
  );
}

function describeParameter(parameter: Parameter, group: string, path: string): void {
  if ("$ref" in parameter) return;
  const { name, in: kind, description, schema } = parameter;
  const place = kind === "path" ? segmentBefore(name, path) : kind;
  const meaning = description ?? schema.description ?? meaningOf(name, { group, place });
  if (meaning !== undefined) parameter.description = meaning;
}

/** `wallets` for the id of /wallets/{id}. */
function segmentBefore(name: string, path: string): string | null {
  const segments = path.split("/");
  return segments[segments.indexOf(`{${name}}`) - 1] ?? null;
}

function answersOf(operation: Operation): Schema[] {
  return Object.values(operation.responses).flatMap((response) =>
    "$ref" in response ? [] : Object.values(response.content ?? {}).map(({ schema }) => schema),
  );
}

function describeFields(schema: Schema, context: Context): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isEnvelope = name === "data" || name === "success";
    const meaning = isEnvelope ? undefined : meaningOf(name, context);
    if (meaning !== undefined) field.description ??= meaning;
    describeFields(field, isEnvelope ? context : { group: "", place: name });
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    describeFields(part, context);
  if (schema.items !== undefined) describeFields(schema.items, context);
}
