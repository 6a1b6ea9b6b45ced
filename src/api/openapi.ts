import swagger from "@fastify/swagger";
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { addDocsPage } from "./docs-page.ts";
import type { Web } from "./http/web.ts";

const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "A business's API key.",
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
    description: "An operator's token, from CHAINBELL_ADMIN_TOKENS.",
  },
} as const;

/** Who a scope's routes open to: any of these. */
export type SecurityScheme = keyof typeof securitySchemes;

const description = `Wallets, balances and transactions of a business, and what notifies its webhook.

Amounts are exact decimal strings. Where a JSON number is answered (\`assets\`, \`net_worth_usd\`), its text carries every
digit: read it with a parser that keeps them. Times are ISO 8601 UTC. Lists are newest first; \`next_cursor\` asks for the next page.`;

/**
 * Describes every route that is registered after it, from the schemas that validate its requests: GET /openapi.json,
 * and GET /docs as a page.
 */
export function addDocumentation(web: Web, version: string): void {
  web.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Chainbell", version, description },
      components: { securitySchemes },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => withOptionalBodies(jsonSchemaTransformObject(document)),
  });
  web.register((plugin, _options, done) => {
    let text: string | null = null;
    plugin.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
      text ??= JSON.stringify(plugin.swagger());
      return reply.type("application/json; charset=utf-8").send(text);
    });
    addDocsPage(plugin.withTypeProvider<ZodTypeProvider>());
    done();
  });
}

/** Says of every route that is registered in this scope from now on which credentials open it. */
export function describeSecurity(scope: Web, schemes: readonly SecurityScheme[]): void {
  scope.addHook("onRoute", (route) => {
    const security = schemes.map((scheme) => ({ [scheme]: [] }));
    route.schema = { ...route.schema, security };
  });
}

type Bodies = {
  paths?: Record<string, Record<string, { requestBody?: Body }>>;
};
type Body = { required?: boolean; content: Record<string, { schema?: { anyOf?: object[] } }> };

/** A body that may be null may be left out: the generator calls every body required. */
function withOptionalBodies<Document extends object>(document: Document): Document {
  const { paths = {} } = document as Bodies;
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const body = operation.requestBody;
    const schemas = Object.values(body?.content ?? {}).map(({ schema }) => schema);
    const isNullable = schemas.some((schema) =>
      schema?.anyOf?.some((one) => "type" in one && one.type === "null"),
    );
    if (body !== undefined && isNullable) body.required = false;
  }
  return document;
}
