// Turns an OpenAPI 3.1 document into the TypeScript types that openapi-fetch reads. As much of JSON Schema as this
// document uses; anything else is refused, so that a type is never quietly `unknown`.

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};

type Content = { content?: Record<string, { schema?: Schema }> };

type Operation = {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses?: Record<string, Content>;
};

export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The text of a module that exports `paths` and `components`. */
export function openapiTypes(document: OpenApi): string {
  const paths = sorted(document.paths).map(([path, item]) => {
    const operations = methods.map((method) => {
      const operation = item[method];
      return operation === undefined
        ? `${method}?: never`
        : `${method}: ${operationType(operation)}`;
    });
    return `  ${JSON.stringify(path)}: { ${parametersType([])}; ${operations.join("; ")} };`;
  });
  const schemas = sorted(document.components?.schemas ?? {}).map(
    ([name, schema]) => `    ${JSON.stringify(name)}: ${schemaType(schema)};`,
  );
  return [
    "// Generated from /openapi.json: see test/integration/api/openapi.test.ts.",
    "export type paths = {",
    ...paths,
    "};",
    "export type components = {",
    "  schemas: {",
    ...schemas,
    "  };",
    "};",
    "",
  ].join("\n");
}

/** By name, so that the order in which routes are registered changes nothing. */
function sorted<Value>(table: Record<string, Value>): [string, Value][] {
  return Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
}

function operationType(operation: Operation): string {
  const parts = [
    parametersType(operation.parameters ?? []),
    bodyType(operation.requestBody),
    `responses: { ${Object.entries(operation.responses ?? {})
      .map(responseType)
      .join("; ")} }`,
  ];
  return `{ ${parts.join("; ")} }`;
}

function parametersType(parameters: NonNullable<Operation["parameters"]>): string {
  const places = ["query", "header", "path", "cookie"].map((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    if (fields.length === 0) return `${place}?: never`;
    const isOptional = fields.every((field) => field.required !== true);
    const types = fields.map(
      ({ name, required, schema }) =>
        `${JSON.stringify(name)}${required === true ? "" : "?"}: ${schemaType(schema)}`,
    );
    return `${place}${isOptional ? "?" : ""}: { ${types.join("; ")} }`;
  });
  return `parameters: { ${places.join("; ")} }`;
}

function bodyType(body: Operation["requestBody"]): string {
  if (body === undefined) return "requestBody?: never";
  return `requestBody${body.required === true ? "" : "?"}: ${contentType(body)}`;
}

function responseType([status, response]: [string, Content]): string {
  const key = /^\d+$/.test(status) ? status : JSON.stringify(status);
  return `${key}: { headers: { [name: string]: unknown }; ${contentType(response).slice(2, -2)} }`;
}

function contentType({ content = {} }: Content): string {
  const types = Object.entries(content).map(
    ([media, { schema = {} }]) => `${JSON.stringify(media)}: ${schemaType(schema)}`,
  );
  return types.length === 0 ? "{ content?: never }" : `{ content: { ${types.join("; ")} } }`;
}

function schemaType(schema: Schema): string {
  const reference = schema.$ref?.replace("#/components/schemas/", "");
  if (reference !== undefined) return `components["schemas"][${JSON.stringify(reference)}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return union(variants.map(schemaType));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => schemaType({ ...schema, type })));
  }
  return plainType(schema);
}

function plainType(schema: Schema): string {
  switch (schema.type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `(${schemaType(schema.items ?? {})})[]`;
    case "object":
      return objectType(schema);
    case undefined:
      return "unknown";
    default:
      throw new Error(`There is no type for ${JSON.stringify(schema)}`);
  }
}

function objectType(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return `${JSON.stringify(name)}${isRequired ? "" : "?"}: ${schemaType(field)}`;
  });
  const known = `{ ${fields.join("; ")} }`;
  const more = schema.additionalProperties;
  if (typeof more !== "object") return fields.length === 0 ? "Record<string, never>" : known;
  if (Object.keys(more).length === 0 && fields.length > 0) return known;
  const rest = `Record<string, ${schemaType(more)}>`;
  return fields.length === 0 ? rest : `${known} & ${rest}`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(" | ") || "never";
}
