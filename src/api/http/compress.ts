import { gzip } from "node:zlib";
import type { Web } from "./web.ts";

/** What fits in one packet gains nothing; and what carries a fresh secret is shorter than this. */
const leastBytes = 1_400;

/** Long texts are sent as gzip to those who take it: a full page of transactions shrinks to a tenth. */
export function addCompression(web: Web): void {
  web.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload !== "string" || payload.length < leastBytes) return done(null, payload);
    const varies = reply.getHeader("vary");
    reply.header("vary", varies === undefined ? "accept-encoding" : `${varies}, accept-encoding`);
    const isTaken = takesGzip(request.headers["accept-encoding"]);
    if (!isTaken || request.method === "HEAD" || reply.hasHeader("content-encoding"))
      return done(null, payload);
    reply.header("content-encoding", "gzip");
    gzip(payload, done);
  });
}

/** RFC 9110 section 12.5.3, as far as one coding needs it. */
export function takesGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== "string") return false;
  const weights = new Map(
    header.split(",").map((part) => {
      const [coding = "", weight = ""] = part.toLowerCase().replaceAll(" ", "").split(";q=");
      return [coding, weight === "" ? 1 : Number(weight)] as const;
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
