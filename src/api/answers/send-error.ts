import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { isLeft } from "../../runtime/on-behalf.ts";
import { methods } from "../http/other-methods.ts";
import { securityHeaders } from "../http/security-headers.ts";
import type { Web } from "../http/web.ts";
import { type ErrorAnswer, refusalAnswer, toErrorAnswer } from "./error-answer.ts";
import { docUrlOf } from "./error-codes.ts";
import { givenValue } from "./given-value.ts";

const routeNotFound = refusalAnswer(404);

export const methodNotAllowed = refusalAnswer(405);

const allMethods = methods.join(", ");

/**
 * The delay of a refusal for too many requests, in ms. Otherwise a caller that repeats at once
 * would keep the process busy with refusals. Each has another delay, so that refusals of one moment
 * do not come back as one wave.
 */
const refusedAfterMs = { least: 500, most: 1_500 };

/**
 * The most refusals that are delayed at a time. Any more are answered at once, as are all while the
 * process stops.
 */
const mostHeld = 2_000;

type ErrorAnswersDeps = {
  log: Logger;
  redact: (text: string) => string;
  clock: Pick<Clock, "sleep">;
};

/** Makes every error of a route, and every path without a route, answer in the form of errors. */
export function addErrorAnswers(web: Web, { log, redact, clock }: ErrorAnswersDeps): void {
  web.setNotFoundHandler((request, reply) => {
    const isKnown = methods.some((method) => method === request.method);
    if (isKnown) return sendError(request, reply, routeNotFound);
    // No path has this method.
    sendError(request, reply.header("allow", allMethods), methodNotAllowed);
  });
  const closing = new AbortController();
  // Each delayed refusal adds a listener. By default Node warns of a leak above ten.
  setMaxListeners(mostHeld, closing.signal);
  web.addHook("preClose", async () => closing.abort());
  let held = 0;
  web.setErrorHandler(async (error, request, reply) => {
    // The caller has closed the connection, so there is nobody to answer.
    if (isLeft(error)) return reply.hijack();
    const answer = withoutSecrets(
      toErrorAnswer(error, (field) => givenValue(request, field)),
      redact,
    );
    if (answer.status >= 500) {
      log.error({ error, requestId: request.id, status: answer.status }, "request.failed");
    }
    if (answer.status === 429 && held < mostHeld) {
      held += 1;
      const { least, most } = refusedAfterMs;
      await clock.sleep(least + Math.random() * (most - least), closing.signal);
      held -= 1;
    }
    sendError(request, reply, answer);
    return reply;
  });
}

/**
 * Redacts the message of a 5xx, which may quote a database. A 4xx is not redacted, because it
 * repeats only what the caller sent. Redaction would confirm a secret that a caller has guessed.
 */
function withoutSecrets(answer: ErrorAnswer, redact: (text: string) => string): ErrorAnswer {
  return answer.status < 500 ? answer : { ...answer, message: redact(answer.message) };
}

/** Sends an error in the form of all errors: docs/contract.md#errors. */
export function sendError(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): void {
  // Fastify's own refusals run before the hook that sets these headers.
  reply.headers({ ...securityHeaders, "x-request-id": request.id });
  if (answer.status === 401) reply.header("www-authenticate", "Bearer");
  if (answer.retryAfterMs !== undefined) {
    reply.header("retry-after", String(Math.ceil(answer.retryAfterMs / 1_000)));
  }
  void reply.code(answer.status).send(errorBody(answer, request.id));
}

function errorBody({ code, message, details }: ErrorAnswer, requestId: string) {
  const error = { code, message, doc_url: docUrlOf(code) };
  return {
    success: false,
    error: details === undefined ? error : { ...error, details },
    request_id: requestId,
  };
}

/** Answers what Node could not read as HTTP. There is only a socket, and no request. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const statuses: Record<string, number> = {
    HPE_HEADER_OVERFLOW: 431,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  };
  answerOnSocket(socket, refusalAnswer(statuses[error.code ?? ""] ?? 400));
}

/** Sends an answer without Fastify, and closes the connection. */
export function answerOnSocket(socket: Duplex, answer: ErrorAnswer): void {
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
