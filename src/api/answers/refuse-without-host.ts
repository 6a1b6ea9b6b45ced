import type { Web } from "../http/web.ts";
import { refusalAnswer } from "./error-answer.ts";
import { sendError } from "./send-error.ts";

/** RFC 9112 section 3.2: an HTTP/1.1 request without Host is refused, in the form of every other error. */
export function refuseWithoutHost(web: Web): void {
  web.addHook("onRequest", (request, reply, done) => {
    if (request.raw.httpVersion !== "1.1" || request.headers.host !== undefined) return done();
    sendError(request, reply, refusalAnswer(400));
  });
}
