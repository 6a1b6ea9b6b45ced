import type { Web } from "../http/web.ts";
import { refusalAnswer } from "./error-answer.ts";
import { sendError } from "./send-error.ts";

/**
 * Refuses an HTTP/1.1 request without Host, and any request with several (RFC 9112 section 3.2).
 * The refusal has the form of every other error.
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
 * Counts the headers Host in a list of names and values in turn. Node keeps only the first of
 * several.
 */
function countHosts(raw: readonly string[]): number {
  return raw.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
}
