import type { Web } from "../http/web.ts";
import { refusalAnswer } from "./error-answer.ts";
import { sendError } from "./send-error.ts";

/**
 * Refuses an HTTP/1.1 request without Host, and any request with several (RFC 9112 section 3.2).
 * The answer has the form of all other errors.
 */
export function refuseWithoutHost(web: Web): void {
  web.addHook("onRequest", (request, reply, done) => {
    const hosts = countHosts(request.raw.rawHeaders);
    const isRight = hosts === 1 || (hosts === 0 && request.raw.httpVersion !== "1.1");
    if (isRight) return done();
    sendError(request, reply, refusalAnswer(400));
  });
}

/**
 * Counts the Host headers in a list that alternates names and values. Node itself keeps only the
 * first one.
 */
function countHosts(raw: readonly string[]): number {
  return raw.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
}
