import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../../runtime/logger.ts";
import { securityHeaders } from "../http/security-headers.ts";
import type { Web } from "../http/web.ts";
import { type ErrorAnswer, refusalAnswer, toErrorAnswer } from "./error-answer.ts";

const routeNotFound: ErrorAnswer = {
  status: 404,
  code: "route_not_found",
  message: "There is nothing at this path.",
};

export const methodNotAllowed: ErrorAnswer = {
  status: 405,
  code: "method_not_allowed",
  message: "This path does not take that method: see the header allow.",
};

/** Every error of a route, and every path that is none, in the one form. */
export function addErrorAnswers(
  web: Web,
  { log, redact }: { log: Logger; redact: (text: string) => string },
): void {
  web.setNotFoundHandler((request, reply) => sendError(request, reply, routeNotFound));
  web.setErrorHandler((error, request, reply) => {
    const answer = withoutSecrets(toErrorAnswer(error), redact);
    if (answer.status >= 500) {
      log.error({ error, requestId: request.id, status: answer.status }, "request.failed");
    }
    sendError(request, reply, answer);
  });
}

/**
 * What went wrong on our side may be in the words of a database. A 4xx repeats only what the caller sent: there a
 * replacement would confirm a secret to whoever guesses it.
 */
function withoutSecrets(answer: ErrorAnswer, redact: (text: string) => string): ErrorAnswer {
  return answer.status < 500 ? answer : { ...answer, message: redact(answer.message) };
}

/** The one form of every error: docs/contract.md#errors. */
export function sendError(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): void {
  // Fastify's own refusals come before the hook that sets these.
  reply.headers({ ...securityHeaders, "x-request-id": request.id });
  if (answer.status === 401) reply.header("www-authenticate", "Bearer");
  if (answer.retryAfterMs !== undefined) {
    reply.header("retry-after", String(Math.ceil(answer.retryAfterMs / 1_000)));
  }
  void reply.code(answer.status).send(errorBody(answer, request.id));
}

function errorBody({ code, message, details }: ErrorAnswer, requestId: string) {
  const error = details === undefined ? { code, message } : { code, message, details };
  return { success: false, error, request_id: requestId };
}

/** What Node could not read as HTTP: there is no request to answer, only a socket. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
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
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
