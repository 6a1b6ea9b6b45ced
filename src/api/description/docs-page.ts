import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyReply } from "fastify";
import type { Web } from "../http/web.ts";

/** Allows only the page's own files and requests: nothing inline, and nothing from another host. */
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

/** The files of Swagger UI, with the names in its package. */
const files = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

/** Colours of Swagger UI that are too faint on white, and their replacements. */
const onWhite = {
  ".info pre.version": "background: #565c66",
  ".info .version-stamp pre.version": "background: #3f6212",
  ".info .url": "color: #0b57b5",
  "a.link": "color: #0b57b5",
  ".btn.authorize span": "color: #17693f",
  ".btn.execute": "background: #0b57b5",
  ".btn.cancel": "color: #b3261e",
  ".json-schema-2020-12-expand-deep-button": "color: #454b54",
  ".opblock-get .opblock-summary-method": "background: #0b57b5",
  ".opblock-post .opblock-summary-method": "background: #17693f",
  ".opblock-patch .opblock-summary-method": "background: #0f6674",
  ".opblock-put .opblock-summary-method": "background: #7a4a00",
  ".opblock-delete .opblock-summary-method": "background: #b3261e",
};

/**
 * The frame of the page, light or dark as the reader's system is. All contrasts are at least 4.5 to
 * 1 (WCAG 2.2, 1.4.3).
 */
const style = `:root { color-scheme: light dark; }
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; color: #1b1f24; font-family: system-ui, sans-serif; }
header { max-width: 1460px; margin: 0 auto; padding: 16px 20px; font-size: 18px; }
main { max-width: 900px; margin: 0 auto; padding: 0 20px 40px; line-height: 1.5; }
header a { color: #0b57b5; margin-left: 16px; font-size: 14px; }
a:focus-visible, button:focus-visible { outline: 3px solid #0b57b5; outline-offset: 2px; }
html.dark-mode body { background: #1c2022; color: #e8eaed; }
html.dark-mode header a { color: #8ab4f8; }
.swagger-ui .opblock-summary .view-line-link.copy-to-clipboard { width: 26px !important; margin: 0 5px; transition: none; }
.swagger-ui .opblock-summary .copy-to-clipboard button { width: 26px; height: 26px; }
html.dark-mode .swagger-ui .header-col { color: #e8eaed; }
${inLight()}
`;

function inLight(): string {
  return Object.entries(onWhite)
    .map(
      ([selector, rule]) => `html:not(.dark-mode) .swagger-ui ${selector} { ${rule} !important; }`,
    )
    .join("\n");
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b57b5"/>
<path d="M21 11a7 7 0 1 0 0 10" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`;

/**
 * The options of Swagger UI. `validatorUrl: null` prevents requests to a validator on another host.
 * Deep links are off: they are links within buttons, which screen readers cannot follow.
 * Highlighting is off, because its colours are too faint.
 */
const options = {
  dom_id: "#swagger-ui",
  docExpansion: "list",
  deepLinking: false,
  syntaxHighlight: false,
  validatorUrl: null,
} as const;

// The address is relative to this script, so that the page also works below a path of a reverse
// proxy.
const initializer = `const url = new URL("../../openapi.json", document.currentScript.src).href;
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
// What Swagger UI leaves out for readers who hear the page or use its keys: names, regions, levels of headings.
const set = (selector, name, value) => {
  for (const one of document.querySelectorAll("#swagger-ui " + selector))
    if (one.getAttribute(name) !== value) one.setAttribute(name, value);
};
const mend = () => {
  for (const [part, label] of [[".information-container", "About this API"], [".scheme-container", "Server"]]) {
    set(part, "role", "region");
    set(part, "aria-label", label);
  }
  set("#servers", "aria-label", "Server");
  set("h3.opblock-tag", "aria-level", "2");
  set("h4", "aria-level", "3");
  set("pre.example", "tabindex", "0");
};
new MutationObserver(mend).observe(document.querySelector("#swagger-ui"), { childList: true, subtree: true });
window.onload = () => {
  window.ui = SwaggerUIBundle({ url, ...${JSON.stringify(options)} });
};
`;

/** The page's own files, in addition to those of Swagger UI. */
const own = [
  ["swagger-initializer.js", "text/javascript; charset=utf-8", initializer],
  ["page.css", "text/css; charset=utf-8", style],
  ["icon.svg", "image/svg+xml", icon],
] as const;

/** GET /docs: the content of /openapi.json as a page, by Swagger UI. */
export function addDocsPage(web: Web): void {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const hidden = { schema: { hide: true } };
  web.get("/docs", hidden, (_request, reply) => sendPage(reply, "./docs/static"));
  web.get("/docs/", hidden, (_request, reply) => sendPage(reply, "./static"));
  for (const [name, type, text] of own) {
    web.get(`/docs/static/${name}`, hidden, (_request, reply) =>
      withHeaders(reply, type).send(text),
    );
  }
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
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Chainbell API</title>
    <link rel="stylesheet" href="${files}/swagger-ui.css">
    <link rel="stylesheet" href="${files}/page.css">
    <link rel="icon" type="image/svg+xml" href="${files}/icon.svg">
  </head>
  <body>
    <header><strong>Chainbell</strong><a href="${files}/../../openapi.json">OpenAPI description</a></header>
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
