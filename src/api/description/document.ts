// The parts of an OpenAPI 3.1 document that Chainbell makes.

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
};

type Media = { schema: Schema; example?: unknown };

export type Parameter =
  | { $ref: string }
  | {
      name: string;
      in: string;
      required?: boolean;
      description?: string;
      example?: unknown;
      schema: Schema;
    };

export type Response =
  | { $ref: string }
  | {
      description: string;
      headers?: Record<string, { $ref: string }>;
      content?: Record<string, Media>;
    };

type RequestBody = { required?: boolean; content: Record<string, Media> };

export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Response>;
  security?: Record<string, string[]>[];
  "x-scope"?: string;
};

export type Components = {
  schemas: Record<string, Schema>;
  parameters?: Record<string, Parameter>;
  responses?: Record<string, Response>;
  headers?: Record<string, { description: string; schema: Schema }>;
  securitySchemes?: object;
};

/** The operations of one path, by method in lower case. */
type PathItem = Record<string, Operation>;

export type Document = {
  openapi: string;
  info: object;
  tags?: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks?: Record<string, PathItem>;
  components: Components;
};

/** Every operation of the document with its method and path. */
export function operationsOf(document: Pick<Document, "paths">) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

export function reference(kind: keyof Components, name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}
