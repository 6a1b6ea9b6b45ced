import { randomUUID } from "node:crypto";
import { type FastifyServerOptions, fastify } from "fastify";
import { validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { AuditedFor } from "../domain/business/audit.ts";
import type { BusinessLedger } from "../domain/business/business-ledger.ts";
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
import { createAccessTokens } from "./auth/access-token.ts";
import {
  type AdministrationDeps,
  type AdminToken,
  administratorOf,
  guardAdministration,
} from "./auth/administrator.ts";
import { businessOf, createAuthenticate, type FindKeyHolder, keyOf } from "./auth/authenticate.ts";
import { createFailedCredentials, type FailedCredentials } from "./auth/failed-credentials.ts";
import { createRateLimit, type RateLimitDeps } from "./auth/rate-limit.ts";
import { addDocumentation, describeSecurity } from "./description/openapi.ts";
import { allowOrigins } from "./http/allow-origins.ts";
import { addCompression } from "./http/compress.ts";
import { rememberMethods } from "./http/other-methods.ts";
import { securityHeaders } from "./http/security-headers.ts";
import type { Web } from "./http/web.ts";
import { answerOnce, type IdempotencyDeps } from "./idempotency.ts";
import { logRequests } from "./log-requests.ts";
import { type AdminVerb, verbRoutes } from "./routes/admin/verb-routes.ts";
import {
  accessTokensRoutes,
  type EndTokenDeps,
  endAccessTokenRoute,
} from "./routes/business/access-tokens.ts";
import { type AuditDeps, auditRoutes } from "./routes/business/audit.ts";
import { type BalanceDeps, balanceRoutes } from "./routes/business/balance.ts";
import { type NotificationsDeps, notificationsRoutes } from "./routes/business/notifications.ts";
import { type TransactionsDeps, transactionsRoutes } from "./routes/business/transactions.ts";
import {
  type WalletBalancesDeps,
  walletBalancesRoutes,
} from "./routes/business/wallet-balances.ts";
import { type WalletsDeps, walletsRoutes } from "./routes/business/wallets.ts";
import {
  type WebhookDeliveriesDeps,
  webhookDeliveriesRoutes,
} from "./routes/business/webhook/webhook-deliveries.ts";
import {
  type WebhookSecretsDeps,
  webhookSecretsRoutes,
} from "./routes/business/webhook/webhook-secrets.ts";
import { type WebhooksDeps, webhooksRoutes } from "./routes/business/webhook/webhooks.ts";
import { type HealthDeps, healthRoutes } from "./routes/health.ts";
import { type MetricsDeps, metricsRoutes } from "./routes/metrics.ts";
import { rootRoute } from "./routes/root.ts";

type BusinessDeps = IdempotencyDeps &
  EndTokenDeps &
  AuditDeps &
  BalanceDeps &
  WalletsDeps &
  WalletBalancesDeps &
  TransactionsDeps &
  WebhooksDeps &
  WebhookSecretsDeps &
  WebhookDeliveriesDeps &
  NotificationsDeps;

export type ApiDeps = BusinessDeps &
  HealthDeps &
  MetricsDeps &
  RateLimitDeps & {
    findKeyHolder: FindKeyHolder;
    isTokenEnded: BusinessLedger["isTokenEnded"];
    accessTokenLifetimeS: number;
    /** Without tokens the routes under /admin do not exist. */
    adminTokens: readonly AdminToken[];
    /** Does what a business changes, and puts it on record. */
    audited: AuditedFor<BusinessLedger>;
    /** Wrong credentials of one address. */
    failedCredentialLimit: RateLimit;
    /** Puts a wrong admin token on record. */
    recordRefusal: AdministrationDeps["recordRefusal"];
    /** Addresses and blocks whose word for a client's address counts (x-forwarded-for). */
    trustedProxies: readonly string[];
    /** Of pages that may read what their requests are answered. */
    allowedOrigins: readonly string[];
    adminVerbs: readonly AdminVerb[];
    version: string;
    /** Takes what the configuration keeps secret out of a text. */
    redact: (text: string) => string;
    clock: Pick<Clock, "now" | "elapsed">;
    log: Logger;
  };

/** No business endpoint takes more than a URL. */
const bodyLimitBytes = 64 * 1024;

/** A request that has not arrived whole by then is given up. */
const requestTimeoutMs = 30_000;

/**
 * Requests are validated by zod. What a route answers is typed by its schema and checked against it in tests; to check
 * it at run time would only turn a good answer into a 500. Set here and not on the server afterwards, so that Fastify
 * does not load its own compilers: that was a tenth of the daemon's start.
 */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => () => JSON.stringify,
  // Fastify's types know no other compilers than its own.
} as unknown as NonNullable<
  NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]
>;

/** The HTTP API (docs/contract.md#1-business-api and #3-administration), not listening yet. */
export function createApi(deps: ApiDeps): Web {
  const web: Web = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // What is in flight is finished; the answer then closes its connection.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => sendError(request, reply, toErrorAnswer(error)),
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    clientErrorHandler: answerBrokenRequest,
    schemaController: { compilersFactory },
    // Node's own refusal would be in no form: see refuseWithoutHost.
    http: { requireHostHeader: false },
  }).withTypeProvider<ZodTypeProvider>();
  web.server.on("connect", (_request, socket) => answerOnSocket(socket, methodNotAllowed));
  // Whatever else a client expects (RFC 9110 section 10.1.1), it gets the answer; Node's own 417 would be in no form.
  web.server.on("checkExpectation", (request, response) =>
    web.server.emit("request", request, response),
  );
  web.removeContentTypeParser("text/plain");
  web.decorateRequest("businessId", null);
  web.decorateRequest("keyId", null);
  web.decorateRequest("accessToken", null);
  web.decorateRequest("administrator", null);
  web.decorateRequest("claim", null);
  web.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeaders).header("x-request-id", request.id);
    reply.header("chainbell-version", deps.version);
    done();
  });
  allowOrigins(web, deps.allowedOrigins);
  refuseWithoutHost(web);
  addCompression(web);
  addErrorAnswers(web, deps);
  logRequests(web, deps);
  const refuseOtherMethods = rememberMethods(web);
  addDocumentation(web, deps.version);
  addRoutes(web, deps);
  // Registered last, so that every path is known by then.
  web.register((plugin, _options, done) => {
    refuseOtherMethods(plugin.withTypeProvider<ZodTypeProvider>(), (reply) =>
      sendError(reply.request, reply, methodNotAllowed),
    );
    done();
  });
  return web;
}

function addRoutes(web: Web, deps: ApiDeps): void {
  addScope(web, "", (scope) => {
    describeSecurity(scope, []);
    rootRoute(scope, deps);
    healthRoutes(scope, deps);
    metricsRoutes(scope, deps);
  });
  const { encryptionKey, accessTokenLifetimeS: lifetimeS, clock } = deps;
  const accessTokens = createAccessTokens({ encryptionKey, lifetimeS, clock });
  const failed = createFailedCredentials(deps.failedCredentialLimit, clock);
  const authenticate = createAuthenticate({ ...deps, accessTokens, failed });
  const limit = createRateLimit(deps);
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["apiKey"]);
    scope.addHook("onRequest", async (request) => {
      await authenticate.byKey(request);
      await limit(keyOf(request));
    });
    accessTokensRoutes(scope, { accessTokens });
  });
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["accessToken"]);
    scope.addHook("onRequest", async (request) => {
      await authenticate.byToken(request);
      await limit(keyOf(request));
    });
    endAccessTokenRoute(scope, deps);
  });
  addScope(web, "", (scope) => {
    describeSecurity(scope, ["apiKey", "accessToken"]);
    scope.addHook("onRequest", async (request) => {
      await authenticate.byKeyOrToken(request);
      await limit(keyOf(request));
    });
    answerOnce(scope, deps, businessOf);
    auditRoutes(scope, deps);
    balanceRoutes(scope, deps);
    walletsRoutes(scope, deps);
    walletBalancesRoutes(scope, deps);
    transactionsRoutes(scope, deps);
    webhooksRoutes(scope, deps);
    webhookSecretsRoutes(scope, deps);
    webhookDeliveriesRoutes(scope, deps);
    notificationsRoutes(scope, deps);
  });
  if (deps.adminTokens.length === 0) return;
  addScope(web, "/admin", (scope) => addAdminRoutes(scope, deps, failed));
}

function addAdminRoutes(scope: Web, deps: ApiDeps, failed: FailedCredentials): void {
  const { adminTokens: tokens, recordRefusal, log } = deps;
  describeSecurity(scope, ["adminToken"]);
  guardAdministration(scope, { tokens, failed, recordRefusal, log });
  answerOnce(scope, deps, (request) => `operator ${administratorOf(request)}`);
  verbRoutes(scope, deps.adminVerbs);
}

function addScope(web: Web, prefix: string, add: (scope: Web) => void): void {
  web.register(
    (plugin, _options, done) => {
      add(plugin.withTypeProvider<ZodTypeProvider>());
      done();
    },
    { prefix },
  );
}
