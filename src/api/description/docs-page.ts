import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyReply } from "fastify";
import type { Web } from "../http/web.ts";

/** The page's own files and its own requests; nothing of another host, nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Of Swagger UI, as its package has them. */
const files = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "index.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
} as const;

/** Without a validator of its own the page would ask one on another host. */
const options = {
  dom_id: "#swagger-ui",
  docExpansion: "list",
  deepLinking: true,
  validatorUrl: null,
} as const;

// The address is relative to this script, so that the page also works below a path of a reverse proxy.
const initializer = `const url = new URL("../../openapi.json", document.currentScript.src).href;
window.onload = () => {
  window.ui = SwaggerUIBundle({ url, ...${JSON.stringify(options)} });
};
`;

/** GET /docs: what /openapi.json says, as a page by Swagger UI. */
export function addDocsPage(web: Web): void {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const hidden = { schema: { hide: true } };
  web.get("/docs", hidden, (_request, reply) => sendPage(reply, "./docs/static"));
  web.get("/docs/", hidden, (_request, reply) => sendPage(reply, "./static"));
  web.get("/docs/static/swagger-initializer.js", hidden, (_request, reply) =>
    withHeaders(reply, "text/javascript; charset=utf-8").send(initializer),
  );
  for (const [name, type] of Object.entries(files)) {
    web.get(`/docs/static/${name}`, hidden, async (_request, reply) =>
      withHeaders(reply, type)
        .header("cache-control", "public, max-age=3600")
        .send(await readFile(join(folder, name))),
    );
  }
}

function sendPage(reply: FastifyReply, files: string): FastifyReply {
  return withHeaders(reply, "text/html; charset=utf-8").send(`<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Chainbell API</title>
    <link rel="stylesheet" href="${files}/swagger-ui.css">
    <link rel="stylesheet" href="${files}/index.css">
    <link rel="icon" type="image/png" href="${files}/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${files}/swagger-ui-bundle.js"></script>
    <script src="${files}/swagger-initializer.js"></script>
  </body>
</html>
`);
}

function withHeaders(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(type).header("content-security-policy", policy);
}
