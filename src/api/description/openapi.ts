import { promisify } from "node:util";
import { gzip } from "node:zlib";
import swagger from "@fastify/swagger";
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { tags } from "../../schema/tags.ts";
import { takesGzip, varyByEncoding } from "../http/compress.ts";
import { neededScope } from "../http/needed-scope.ts";
import type { Web } from "../http/web.ts";
import { addMeanings } from "./add-meanings.ts";
import { dropUnusedSchemas, shareParameters } from "./components.ts";
import { addDocsPage } from "./docs-page.ts";
import { type Document, type Operation, operationsOf, reference } from "./document.ts";
import { addErrorsPage } from "./errors-page.ts";
import { addEvents } from "./events.ts";
import { addExamples } from "./examples.ts";
import { operationIdOf } from "./operation-id.ts";
import { addRefusals } from "./refusals.ts";

const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description:
      "A business's API key. A key with scopes needs the `x-scope` of the operation. `credits` needs `read` too. `unlimited` needs a key without any limits.",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "From POST /auth/token.",
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    description:
      "An operator's token, from CHAINBELL_ADMIN_TOKENS. One with scopes needs the `x-scope` of the operation.",
  },
} as const;

/** A kind of credential that the routes of a scope accept. */
export type SecurityScheme = keyof typeof securitySchemes;

const description = `Wallets, balances and transactions of a business, and what notifies its webhook.

Amounts are exact decimal strings. The JSON numbers (\`assets\`, \`pending\`, \`net_worth_usd\`) have every digit.
Read them with a parser that keeps all digits, or read \`holdings\` and \`net_worth\`. Times are ISO 8601 UTC. Lists are newest first;
\`next_cursor\` asks for the next page. Fields, events and error codes may be added at any time: ignore what you do not know.

Each operation lists its errors. The server itself may refuse any request with 405, 408, 414, 417 or 431, in the same form.`;

/** Keys that carry a route's `refuses` and `mayBeStale` until the document is complete. */
const refusesKey = "x-refuses";
const staleKey = "x-may-be-stale";

/**
 * Describes every route that is registered later, from the schemas that validate its requests. Adds
 * GET /openapi.json for the document, and GET /docs to show it as a page.
 */
export function addDocumentation(web: Web, version: string): void {
  web.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Chainbell",
        version,
        description,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "This installation." }],
      components: { securitySchemes },
    },
    transform: (route) => {
      const { schema, url } = jsonSchemaTransform(route);
      const { refuses = [], mayBeStale = false, keyScope, scope = keyScope } = route.schema ?? {};
      const scoped = scope === undefined ? {} : { "x-scope": scope };
      return {
        schema: { ...schema, ...scoped, [refusesKey]: refuses, [staleKey]: mayBeStale },
        url,
      };
    },
    transformObject: (document) =>
      // The generator's types know less of the document than was added above.
      complete(jsonSchemaTransformObject(document) as unknown as Document) as object,
  });
  web.register((plugin, _options, done) => {
    let text: string | null = null;
    let packed: Promise<Buffer> | null = null;
    plugin.get("/openapi.json", { schema: { hide: true } }, async (request, reply) => {
      text ??= JSON.stringify(plugin.swagger());
      reply.type("application/json; charset=utf-8");
      if (!takesGzip(request.headers["accept-encoding"])) return reply.send(text);
      // Compressed only once, since anybody may ask for it and compressing takes longer than most
      // requests.
      packed ??= promisify(gzip)(text);
      varyByEncoding(reply);
      reply.header("content-encoding", "gzip");
      return reply.send(await packed);
    });
    const web = plugin.withTypeProvider<ZodTypeProvider>();
    addDocsPage(web);
    addErrorsPage(web);
    done();
  });
}

/**
 * Says which credentials the routes accept that this scope registers from now on. No schemes: the
 * routes need no credential.
 */
export function describeSecurity(scope: Web, schemes: readonly SecurityScheme[]): void {
  scope.addHook("onRoute", (route) => {
    const security = schemes.map((scheme) => ({ [scheme]: [] }));
    const isOfKeys = schemes.includes("apiKey");
    const asked = { method: String(route.method), url: route.url };
    const keyScope = isOfKeys ? neededScope(asked) : null;
    route.schema = { ...route.schema, security, ...(keyScope === null ? {} : { keyScope }) };
  });
}

/** Adds what a route's own description leaves out, for every route. */
function complete(document: Document): Document {
  const { components } = document;
  components.headers = headers;
  for (const { method, path, operation } of operationsOf(document)) {
    const {
      [refusesKey]: refuses = [],
      [staleKey]: mayBeStale = false,
      ...described
    } = operation as Operation & { [refusesKey]?: readonly string[]; [staleKey]?: boolean };
    const isList = described.parameters?.some((one) => "name" in one && one.name === "cursor");
    described.operationId ??= operationIdOf(method.toUpperCase(), path, isList ?? false);
    described.description ??= `${described.summary}.`;
    describeSuccesses(described, mayBeStale);
    letBodyOut(described);
    if (refuses.includes("idempotency_key_reused")) takeKey(described);
    addRefusals(document, { method, path, operation: described, refuses });
    Object.assign(document.paths[path] ?? {}, { [method]: described });
  }
  addEvents(document);
  addMeanings(document);
  addExamples(document);
  shareParameters(document);
  const text = JSON.stringify([document.paths, document.webhooks]);
  document.tags = Object.entries(tags)
    .filter(([name]) => text.includes(`"tags":["${name}"]`))
    .map(([name, text]) => ({ name, description: text }));
  return dropUnusedSchemas(document);
}

const headers = {
  RequestId: {
    description: "Of this request: quote it when something went wrong.",
    schema: { type: "string", examples: ["8109552d-768d-416c-b820-4b386319cdf9"] },
  },
  Version: {
    description: "The version of the API, which is that of the software: see docs/upgrading.md.",
    schema: { type: "string", examples: ["0.2.0"] },
  },
  ReadFrom: {
    description: "The server of the database that answered.",
    schema: { type: "string", enum: ["primary", "replica"], examples: ["primary"] },
  },
  StalenessMs: {
    description:
      "The greatest age of the answer in milliseconds: later changes may be missing. 0 from the primary.",
    schema: { type: "integer", examples: [0] },
  },
  RetryAfter: {
    description: "Seconds to wait before the request is sent again.",
    schema: { type: "integer", examples: [1] },
  },
};

function takeKey(operation: Operation): void {
  const description =
    "A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours.";
  const schema = {
    type: "string",
    maxLength: 255,
    examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
  };
  const key = { name: "Idempotency-Key", in: "header", required: false, description, schema };
  operation.parameters = [...(operation.parameters ?? []), key];
}

const successes: Readonly<Record<string, string>> = {
  200: "Done.",
  201: "Made.",
  202: "Taken up.",
  503: "Some part makes no progress.",
};

function describeSuccesses({ responses }: Operation, mayBeStale: boolean): void {
  for (const [status, response] of Object.entries(responses)) {
    if ("$ref" in response) continue;
    response.description = successes[status] ?? response.description;
    response.headers = {
      "x-request-id": reference("headers", "RequestId"),
      "chainbell-version": reference("headers", "Version"),
      ...(mayBeStale
        ? {
            "chainbell-read-from": reference("headers", "ReadFrom"),
            "chainbell-staleness-ms": reference("headers", "StalenessMs"),
          }
        : {}),
    };
  }
}

/** Makes a body that may be null optional. The generator marks every body as required. */
function letBodyOut({ requestBody }: Operation): void {
  const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
  const isNullable = schemas.some(({ anyOf }) => anyOf?.some(({ type }) => type === "null"));
  if (requestBody !== undefined && isNullable) requestBody.required = false;
}
