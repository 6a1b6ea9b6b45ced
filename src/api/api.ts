import { randomUUID } from "node:crypto";
import { type FastifyRequest, type FastifyServerOptions, fastify } from "fastify";
import { validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { AuditedFor } from "../domain/business/audit.ts";
import type { BusinessChanges, BusinessLedger } from "../domain/business/business-ledger.ts";
import type { RateLimit } from "../domain/business/rate-limit.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { toErrorAnswer } from "./answers/error-answer.ts";
import { refuseWithoutHost } from "./answers/refuse-without-host.ts";
import {
  addErrorAnswers,
  answerBrokenRequest,
  answerOnSocket,
  methodNotAllowed,
  sendError,
} from "./answers/send-error.ts";
import { type AccessTokens, createAccessTokens } from "./auth/access-token.ts";
import {
  type AdministrationDeps,
  type AdminToken,
  administratorOf,
  createAdministrators,
  guardAdministration,
  logAdministration,
} from "./auth/administrator.ts";
import {
  type Authentication,
  createAuthenticate,
  createFindOver,
  type FindKeyHolder,
} from "./auth/authenticate.ts";
import { createFailedCredentials } from "./auth/failed-credentials.ts";
import { createHeldRequests } from "./auth/held-requests.ts";
import { businessOwnerOf, operatorOwnerOf } from "./auth/owner.ts";
import { createLimits, type Limits, type RateLimitDeps } from "./auth/rate-limit.ts";
import { addBusinessRoutes, type BusinessDeps } from "./business-routes.ts";
import { type ConsoleDeps, consoleRoutes } from "./console/console.ts";
import { routedUrl } from "./console/pages.ts";
import { addDocumentation, describeSecurity } from "./description/openapi.ts";
import { actFor } from "./http/act-for.ts";
import { allowOrigins } from "./http/allow-origins.ts";
import { addCompression } from "./http/compress.ts";
import { dropForwardedPorts } from "./http/forwarded-for.ts";
import { serialize, sliceLargeJson } from "./http/large-json.ts";
import { limitBodies, longestMs } from "./http/limit-bodies.ts";
import type { OpenStreams } from "./http/open-streams.ts";
import { refuseOtherMethods } from "./http/other-methods.ts";
import { addScope } from "./http/scope.ts";
import { securityHeaders } from "./http/security-headers.ts";
import type { Web } from "./http/web.ts";
import { answerOnce } from "./idempotency.ts";
import { logRequests } from "./log-requests.ts";
import { type AdminVerb, verbRoutes } from "./routes/admin/verb-routes.ts";
import {
  accessTokensRoutes,
  endAccessTokenRoute,
  type TokenLedger,
} from "./routes/business/access-tokens.ts";
import { createExports } from "./routes/business/exports.ts";
import { type HealthDeps, healthRoutes, readinessRoutes } from "./routes/health.ts";
import { type MetricsDeps, metricsRoutes } from "./routes/metrics.ts";
import { rootRoute } from "./routes/root.ts";
import { everything, type Serves } from "./serves.ts";

export type ApiDeps = Omit<BusinessDeps, "held" | "exports"> &
  TokenLedger &
  HealthDeps &
  MetricsDeps &
  RateLimitDeps & {
    findKeyHolder: FindKeyHolder;
    isTokenEnded: BusinessLedger["isTokenEnded"];
    findClosed: BusinessLedger["findClosed"];
    /** Counts the streams of all listeners of a process together. */
    streams: OpenStreams;
    listUsedKeys: BusinessLedger["listUsedKeys"];
    accessTokenLifetimeS: number;
    /** The present tokens. With none at the start, there are no routes under /admin. */
    adminTokens: () => readonly AdminToken[];
    /** Makes the changes of a business, each with its audit entry. */
    audited: AuditedFor<BusinessChanges>;
    /** The limit of wrong credentials from one address. */
    failedCredentialLimit: RateLimit;
    /** Adds an audit entry for a wrong admin token. */
    recordRefusal: AdministrationDeps["recordRefusal"];
    /** Addresses and blocks of proxies whose x-forwarded-for is trusted. */
    trustedProxies: readonly string[];
    /** The origins whose pages may read the answers to their requests. */
    allowedOrigins: readonly string[];
    adminVerbs: readonly AdminVerb[];
    /** Null: there is no console. */
    console: ConsoleDeps | null;
    version: string;
    /** Removes the secrets of the configuration from a text. */
    redact: (text: string) => string;
    clock: Pick<Clock, "now" | "elapsed" | "sleep">;
    log: Logger;
  };

/**
 * The limit of a body for routes that do not set their own. The largest is a change of a webhook:
 * two PEM texts of at most 20,000 characters each, and headers.
 */
const bodyLimitBytes = 64 * 1024;

/** The time that a client may take to send its headers, in ms. */
const headersTimeoutMs = 30_000;

/**
 * zod validates requests. The schema of an answer is for its type and the tests. A check at run
 * time could only turn a good answer into a 500. Setting the compilers here keeps Fastify from
 * loading its own, which took a tenth of the daemon's start.
 */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => () => serialize,
  // Fastify's types know only its own compilers.
} as unknown as NonNullable<
  NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]
>;

/**
 * Makes the HTTP API (docs/contract.md#1-business-api and #3-administration) and the console,
 * limited to the parts in `serves`. It does not listen yet.
 */
export function createApi(deps: ApiDeps, serves: Serves = everything): Web {
  const web: Web = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: longestMs,
    // Finishes requests under way. Each answer then closes its connection.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // The first that Fastify does with a request.
    rewriteUrl({ headers, url = "/" }) {
      dropForwardedPorts(headers);
      return routedUrl(url);
    },
    frameworkErrors: (error, request, reply) => sendError(request, reply, toErrorAnswer(error)),
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    clientErrorHandler: answerBrokenRequest,
    schemaController: { compilersFactory },
    // Node's own refusal would not have the form of our errors. See refuseWithoutHost.
    http: { requireHostHeader: false, headersTimeout: headersTimeoutMs },
  }).withTypeProvider<ZodTypeProvider>();
  web.server.on("connect", (_request, socket) => answerOnSocket(socket, methodNotAllowed));
  // Answers a request with an unknown expectation (RFC 9110 section 10.1.1) as any other. Node's
  // own 417 would not have the form of our errors.
  web.server.on("checkExpectation", (request, response) =>
    web.server.emit("request", request, response),
  );
  web.removeContentTypeParser("text/plain");
  web.decorateRequest("businessId", null);
  web.decorateRequest("keyId", null);
  web.decorateRequest("accessToken", null);
  web.decorateRequest("administrator", null);
  web.decorateRequest("session", null);
  web.decorateRequest("claim", null);
  web.decorateRequest("heldAfterMs", null);
  web.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeaders).header("x-request-id", request.id);
    reply.header("chainbell-version", deps.version);
    done();
  });
  limitBodies(web);
  sliceLargeJson(web);
  allowOrigins(web, deps.allowedOrigins);
  refuseWithoutHost(web);
  addCompression(web);
  addErrorAnswers(web, deps);
  logRequests(web, deps);
  refuseOtherMethods(web, (reply) => sendError(reply.request, reply, methodNotAllowed));
  if (serves.has("business") || serves.has("admin")) addDocumentation(web, deps.version);
  addRoutes(web, deps, serves);
  return web;
}

function addRoutes(web: Web, deps: ApiDeps, serves: Serves): void {
  const { keyring, accessTokenLifetimeS: lifetimeS, clock, adminTokens: tokens } = deps;
  const { recordRefusal, streams, log } = deps;
  const accessTokens = createAccessTokens({ keyring, lifetimeS, clock });
  const failed = createFailedCredentials(deps.failedCredentialLimit, clock);
  const failedAnswers = createFailedCredentials(deps.failedCredentialLimit, clock);
  const authentication = createAuthenticate({ ...deps, accessTokens, failed });
  const limits = createLimits(deps);
  const findOver = createFindOver({ ...deps, findOpen: deps.console?.ledger.findOpen ?? null });
  const held = createHeldRequests(web, { findOver, streams, log });
  const exports = createExports({ ...deps, held });
  const routesOfBusiness = { ...deps, held, exports };
  const administrators = createAdministrators({ tokens, failed, recordRefusal, clock, log });
  addOpenRoutes(web, deps, serves);
  if (serves.has("business"))
    addKeyRoutes(web, { deps: routesOfBusiness, accessTokens, authentication, limits });
  if (serves.has("admin") && tokens().length > 0) {
    addScope(web, "/admin", (scope) => {
      describeSecurity(scope, ["adminToken"]);
      guardAdministration(scope, administrators);
      addAdminRoutes(scope, deps);
    });
  }
  const { console } = deps;
  if (!serves.has("console") || console === null) return;
  const { version } = deps;
  const known = { authentication, administrators, failed, failedAnswers, limits, streams };
  const shared = { ...known, version, clock, log };
  addScope(web, "/console", (scope) =>
    consoleRoutes(scope, console, {
      ...shared,
      addBusinessRoutes: (inner) => addBusinessRoutes(inner, routesOfBusiness),
      addAdminRoutes: (inner) => addAdminRoutes(inner, deps),
    }),
  );
}

/** Adds the routes that need no credential. */
function addOpenRoutes(web: Web, deps: ApiDeps, serves: Serves): void {
  if (!serves.has("operation") && !serves.has("readiness")) return;
  addScope(web, "", (scope) => {
    describeSecurity(scope, []);
    rootRoute(scope, deps);
    if (serves.has("readiness")) return readinessRoutes(scope, deps);
    healthRoutes(scope, deps);
    metricsRoutes(scope, deps);
  });
}

type KeyRoutes = {
  deps: ApiDeps & BusinessDeps;
  accessTokens: AccessTokens;
  authentication: Authentication;
  limits: Limits;
};

/** Adds the routes for callers with a business's key, or with an access token made with a key. */
function addKeyRoutes(web: Web, { deps, accessTokens, authentication, limits }: KeyRoutes): void {
  const { byKey, byToken, byKeyOrToken } = authentication;
  const open = (scope: Web, authenticate: (request: FastifyRequest) => Promise<void>) => {
    scope.addHook("onRequest", async (request) => {
      await authenticate(request);
      await limits.request(request);
    });
    actFor(scope, businessOwnerOf);
  };
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["apiKey"]);
    open(scope, byKey);
    accessTokensRoutes(scope, { ...deps, accessTokens });
  });
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["accessToken"]);
    open(scope, byToken);
    endAccessTokenRoute(scope, deps);
  });
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["apiKey", "accessToken"]);
    open(scope, byKeyOrToken);
    addBusinessRoutes(scope, deps);
  });
}

/** Adds the routes of operators. The scope's guard has already identified the operator. */
function addAdminRoutes(scope: Web, deps: ApiDeps): void {
  actFor(scope, operatorOwnerOf);
  logAdministration(scope, deps.log);
  answerOnce(scope, deps, (request) => `operator ${administratorOf(request)}`);
  verbRoutes(scope, deps.adminVerbs);
}
