import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { Logger } from "../runtime/logger.ts";
import { type AdminToken, guardAdministration } from "./administrator.ts";
import { createAuthenticate, type FindKeyHolder } from "./authenticate.ts";
import { type ErrorAnswer, refusalAnswer, toErrorAnswer } from "./error-answer.ts";
import { rememberMethods } from "./other-methods.ts";
import { type AdminBusinessesDeps, adminBusinessesRoutes } from "./routes/admin-businesses.ts";
import { type AdminChainsDeps, adminChainsRoutes } from "./routes/admin-chains.ts";
import { type AdminKeysDeps, adminKeysRoutes } from "./routes/admin-keys.ts";
import { type AdminWalletsDeps, adminWalletsRoutes } from "./routes/admin-wallets.ts";
import { type AdminWebhooksDeps, adminWebhooksRoutes } from "./routes/admin-webhooks.ts";
import { type BalanceDeps, balanceRoutes } from "./routes/balance.ts";
import { type HealthDeps, healthRoutes } from "./routes/health.ts";
import { type NotificationsDeps, notificationsRoutes } from "./routes/notifications.ts";
import { type TransactionsDeps, transactionsRoutes } from "./routes/transactions.ts";
import { type WalletsDeps, walletsRoutes } from "./routes/wallets.ts";
import { type WebhookChangesDeps, webhookChangesRoutes } from "./routes/webhook-changes.ts";
import { type WebhooksDeps, webhooksRoutes } from "./routes/webhooks.ts";
import type { Web } from "./web.ts";

type BusinessDeps = BalanceDeps &
  WalletsDeps &
  TransactionsDeps &
  WebhooksDeps &
  WebhookChangesDeps &
  NotificationsDeps;

type AdminCommands = AdminBusinessesDeps &
  AdminKeysDeps &
  AdminWalletsDeps &
  AdminChainsDeps &
  AdminWebhooksDeps;

export type ApiDeps = BusinessDeps &
  HealthDeps & {
    findKeyHolder: FindKeyHolder;
    /** Without tokens the routes under /admin do not exist. */
    adminTokens: readonly AdminToken[];
    commands: AdminCommands;
    clock: { now: () => number };
    log: Logger;
  };

/** No business endpoint takes more than a URL. */
const bodyLimitBytes = 64 * 1024;

/** A request that has not arrived whole by then is given up. */
const requestTimeoutMs = 30_000;

/** The HTTP API as CONTRACT.md sections 1, 3 and 5 describe it, not listening yet. */
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
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<ZodTypeProvider>();
  web.setValidatorCompiler(validatorCompiler);
  web.removeContentTypeParser("text/plain");
  web.decorateRequest("businessId", null);
  web.decorateRequest("administrator", null);
  web.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  addErrorAnswers(web, deps.log);
  addLog(web, deps.log);
  const refuseOtherMethods = rememberMethods(web);
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
  healthRoutes(web, deps);
  web.register((plugin, _options, done) => {
    const scope: Web = plugin.withTypeProvider<ZodTypeProvider>();
    scope.addHook("onRequest", createAuthenticate(deps));
    balanceRoutes(scope, deps);
    walletsRoutes(scope, deps);
    transactionsRoutes(scope, deps);
    webhooksRoutes(scope, deps);
    webhookChangesRoutes(scope, deps);
    notificationsRoutes(scope, deps);
    done();
  });
  if (deps.adminTokens.length === 0) return;
  web.register(
    (plugin, _options, done) => {
      const scope: Web = plugin.withTypeProvider<ZodTypeProvider>();
      guardAdministration(scope, deps.adminTokens, deps.log);
      adminBusinessesRoutes(scope, deps.commands);
      adminKeysRoutes(scope, deps.commands);
      adminWalletsRoutes(scope, deps.commands);
      adminChainsRoutes(scope, deps.commands);
      adminWebhooksRoutes(scope, deps.commands);
      done();
    },
    { prefix: "/admin" },
  );
}

const routeNotFound: ErrorAnswer = {
  status: 404,
  code: "route_not_found",
  message: "There is nothing at this path.",
};

const methodNotAllowed: ErrorAnswer = {
  status: 405,
  code: "method_not_allowed",
  message: "This path does not take that method: see the header allow.",
};

function addErrorAnswers(web: Web, log: Logger): void {
  web.setNotFoundHandler((request, reply) => sendError(request, reply, routeNotFound));
  web.setErrorHandler((error, request, reply) => {
    const answer = toErrorAnswer(error);
    if (answer.status >= 500) {
      log.error({ error, requestId: request.id, status: answer.status }, "request.failed");
    }
    sendError(request, reply, answer);
  });
}

/** The one form of every error: CONTRACT.md section 1. */
function sendError(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): void {
  if (answer.retryAfterMs !== undefined) {
    reply.header("retry-after", String(Math.ceil(answer.retryAfterMs / 1_000)));
  }
  void reply
    .code(answer.status)
    .header("x-request-id", request.id)
    .send(errorBody(answer, request.id));
}

function errorBody({ code, message, details }: ErrorAnswer, requestId: string) {
  const error = details === undefined ? { code, message } : { code, message, details };
  return { success: false, error, request_id: requestId };
}

function addLog(web: Web, log: Logger): void {
  web.addHook("onResponse", async (request, reply) => {
    const fields = {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      latencyMs: Math.round(reply.elapsedTime),
      businessId: request.businessId,
      requestId: request.id,
    };
    const isProbe = request.url.startsWith("/health");
    if (isProbe) log.debug(fields, "request.answered");
    else log.info(fields, "request.answered");
  });
}

/** What Node could not read as HTTP: there is no request to answer, only a socket. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const statuses: Record<string, number> = {
    HPE_HEADER_OVERFLOW: 431,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  };
  const answer = refusalAnswer(statuses[error.code ?? ""] ?? 400);
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(answer, requestId));
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
