import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type {
  Document,
  Operation,
  Parameter,
  Schema,
} from "../../../src/api/description/document.ts";

// What tests read from the description of the API.

/** A part of the document itself, where it stands behind a reference. */
export function resolved<Part>(document: Document, part: Part | { $ref: string }): Part {
  if (!isReference(part)) return part;
  const steps = part.$ref.replace("#/", "").split("/");
  // Tests compile every reference of the document: it leads to what stands in its place.
  return steps.reduce((at: unknown, step) => Reflect.get(Object(at), step), document) as Part;
}

function isReference(part: unknown): part is { $ref: string } {
  return typeof part === "object" && part !== null && "$ref" in part;
}

type Described = Exclude<Parameter, { $ref: string }>;

export function parametersOf(document: Document, { parameters = [] }: Operation): Described[] {
  return parameters.map((one) => resolved<Described>(document, one));
}

/** The schemas of a body: of each form that it may have. */
export function bodySchemas(document: Document, { requestBody }: Operation): Schema[] {
  return Object.values(requestBody?.content ?? {})
    .flatMap(({ schema }) => [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    .map((schema) => resolved(document, schema));
}

/** The text of a module that exports the document's `paths` and `components` as types. */
export async function openapiTypes(document: Document): Promise<string> {
  const components = {
    ...document.components,
    schemas: byName(document.components.schemas),
  };
  const sorted = { ...document, components, paths: byName(document.paths) };
  const nodes = await openapiTS(structuredClone(sorted) as unknown as OpenAPI3);
  return `// Generated from /openapi.json: see test/integration/api/openapi.test.ts.\n${astToString(nodes)}`;
}

/** So that the order in which modules are loaded and routes registered changes nothing. */
function byName<Value>(table: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
}
