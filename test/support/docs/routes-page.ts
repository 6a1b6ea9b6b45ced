import { type Document, operationsOf } from "../../../src/api/description/document.ts";
import { adminScopes } from "../../../src/domain/business/admin-scope.ts";
import { keyScopes } from "../../../src/domain/business/api-key.ts";
import { fileOf, scopesOf } from "./endpoint-pages.ts";
import { table, withContents } from "./markdown.ts";

const head = `# Routes and scopes

Every route of the HTTP API with the credential and the scope that it needs. This page is made from the description that
the daemon serves at \`GET /openapi.json\`. Do not edit it here: run \`npm test -- api/openapi -u\`. Each group has a page
with parameters, answers, errors and examples in four languages. \`GET /docs\` shows the same. [The
contract](contract.md#endpoints) says what each field means.

- **A key without scopes** may use every route of a business but those with \`wallets:write\`.
- **A key with scopes** may use the routes of its scopes alone. Where a route names two scopes, the key needs both.
- **An access token** may do what its key may.
- **An admin token without scopes** may use every route under \`/admin\`. One with scopes may use theirs alone.

Elsewhere they are refused with 403 [\`scope_missing\`](errors.md#scope_missing).
`;

/** The meaning of each scope, of API keys and of admin tokens. */
const meanings = [
  table(
    ["scope of an API key", "opens"],
    [
      ...Object.entries(keyScopes).map(([scope, opens]) => [`\`${scope}\``, opens]),
      [
        "unlimited",
        "no scope opens these routes: the key must have no scopes, no networks and no expiry",
      ],
    ],
  ),
  table(
    ["scope of an admin token", "opens"],
    Object.entries(adminScopes).map(([scope, opens]) => [`\`${scope}\``, opens]),
  ),
].join("\n");

const credentials: Readonly<Record<string, string>> = {
  apiKey: "API key",
  accessToken: "access token",
  adminToken: "admin token",
};

/** docs/routes.md. */
export function routesPage(document: Required<Document>): string {
  const operations = operationsOf(document);
  const sections = document.tags.map(({ name, description }) => {
    const rows = operations
      .filter(({ operation }) => operation.tags?.includes(name))
      .map(({ method, path, operation }) => {
        const schemes = (operation.security ?? []).flatMap((one) => Object.keys(one));
        const by = schemes.map((scheme) => credentials[scheme] ?? scheme).join(", ");
        return [
          `\`${method.toUpperCase()} ${path}\``,
          operation.summary ?? "",
          by === "" ? "none" : by,
          scopesOf(operation).join(", "),
        ];
      })
      .sort(([one = ""], [other = ""]) => (pathIn(one) < pathIn(other) ? -1 : 1));
    const titles = ["route", "what it does", "credential", "scope"];
    const more = rows.length > 0 ? ` [More of each](reference/${fileOf(name)}.md).` : "";
    return `## ${name}\n\n${description}${more}\n\n${table(titles, rows)}`;
  });
  return withContents([head, meanings, ...sections].join("\n"));
}

/** The path first: the routes of one resource stand together. */
function pathIn(route: string): string {
  const [method = "", path = ""] = route.replaceAll("`", "").split(" ");
  return `${path} ${method}`;
}
