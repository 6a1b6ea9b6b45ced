import type { Web } from "../http/web.ts";
import { codesOfStoppedChains, guidedCodes, lineOf } from "./error-guides.ts";

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** GET /docs/errors: every code with its own anchor, which `error.doc_url` links to. */
export function addErrorsPage(web: Web): void {
  const page = html();
  web.get("/docs/errors", { schema: { hide: true } }, (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", policy).send(page),
  );
}

function html(): string {
  const sections = guidedCodes().map(({ title, about, codes }) => {
    const entries = codes.map(
      (code) =>
        `<h3 id="${code.anchor}">${code.title}</h3><p>${text(code.guide[2])} ${text(code.guide[3])}</p><p>${lineOf(code)}</p>`,
    );
    return `<h2>${title}</h2><p>${text(about)}</p>${entries.join("\n")}`;
  });
  const stopped = codesOfStoppedChains.map((code) => `<a href="#${code}">${code}</a>`);
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Errors of Chainbell</title>
    <link rel="stylesheet" href="static/page.css">
  </head>
  <body>
    <header><strong>Errors of Chainbell</strong><a href="../docs">API</a></header>
    <main>${sections.join("\n")}<h2>Stopped chains</h2><p>${stopped.join(", ")}</p></main>
  </body>
</html>
`;
}

/** Turns code in Markdown into HTML. The guides have no other markup. */
function text(markdown: string): string {
  return markdown
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/`([^`]*)`/g, "<code>$1</code>");
}
