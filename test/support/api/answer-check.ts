import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { FastifyInstance } from "fastify";

type Document = {
  paths: Record<string, Record<string, { responses?: Record<string, { $ref?: string }> }>>;
};

/**
 * Holds every answer that leaves this API against what /openapi.json says of its route and status.
 * `complaints` says what did not agree; call before the first request.
 */
export function checkAnswers(web: FastifyInstance): { complaints: () => string[] } {
  const found: string[] = [];
  let validate: Validate | null = null;
  const routes: string[] = [];
  web.addHook("onRoute", ({ method, url }) => void routes.push(`${method} ${url}`));
  web.addHook("onSend", async (request, reply, payload) => {
    const url = request.pathWithoutMethod ?? request.routeOptions.url;
    const route = describedRoute(url, reply.statusCode);
    const isJson = String(reply.getHeader("content-type")).includes("application/json");
    if (route === undefined || !isJson || typeof payload !== "string" || route === "/openapi.json")
      return payload;
    validate ??= validatorOf(web, routes.join());
    const method = request.method === "HEAD" ? "get" : request.method.toLowerCase();
    const name = `${method} ${route.replace(/:(\w+)/g, "{$1}")}`;
    const problem = validate(name, reply.statusCode, JSON.parse(payload));
    if (problem !== null)
      found.push(`${name} ${reply.statusCode}: ${problem} in ${payload.slice(0, 300)}`);
    return payload;
  });
  return { complaints: () => found };
}

/** The console's copy of a route answers what the route does; who may ask it is another matter. */
function describedRoute(url: string | undefined, status: number): string | undefined {
  if (url === undefined || !url.startsWith("/console")) return url;
  const isCopy = url.startsWith("/console/api/") && status < 300;
  return isCopy ? url.slice("/console/api".length) : undefined;
}

type Validate = (route: string, status: number, body: unknown) => string | null;

/** By the routes that they are of: describing all routes takes longer than most tests. */
const validators = new Map<string, Validate>();

function validatorOf(web: FastifyInstance, routes: string): Validate {
  const validate = validators.get(routes) ?? createValidator(web.swagger() as unknown as Document);
  validators.set(routes, validate);
  return validate;
}

function createValidator(document: Document): Validate {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, "api");
  const compiled = new Map<string, ValidateFunction>();
  return (route, status, body) => {
    const [method = "", path = ""] = route.split(" ");
    const responses = document.paths[path]?.[method]?.responses;
    // A method that a path does not take has only the one form of errors to follow.
    if (responses === undefined) return isErrorForm(body) ? null : "it is described nowhere";
    const described = responses[status];
    // The server's own refusals, which the text of the document lists once for all routes.
    if (described === undefined && ofServer.has(status))
      return isErrorForm(body) ? null : "no error";
    if (described === undefined) return "this status is described nowhere";
    const encoded = (part: string) =>
      encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
    const shared = described.$ref?.replace("#/", "").split("/");
    const pointer = [
      ...(shared ?? ["paths", path, method, "responses", String(status)]),
      ...["content", "application/json", "schema"],
    ];
    const reference = `api#/${pointer.map(encoded).join("/")}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    return validate(body) ? null : ajv.errorsText(validate.errors);
  };
}

const ofServer = new Set([405, 414, 417, 431]);

function isErrorForm(body: unknown): boolean {
  return typeof body === "object" && body !== null && Reflect.get(body, "success") === false;
}
