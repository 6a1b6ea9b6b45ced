import { gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { Web } from "./web.ts";

/** The length of a text that fits in one packet, in characters: compressing it gains nothing. */
const leastBytes = 1_400;

/**
 * Sends long texts as gzip to clients that take it. A full page of transactions shrinks to a tenth.
 * The answer to a change stays as it is. It may have a fresh secret beside a text of the caller's.
 * The length of both as gzip would tell of the secret (CVE-2013-3587).
 */
export function addCompression(web: Web): void {
  web.addHook("onSend", (request, reply, payload, done) => {
    if (!isText(reply, payload) || payload.length < leastBytes) return done(null, payload);
    if (request.method !== "GET" && request.method !== "HEAD") return done(null, payload);
    varyByEncoding(reply);
    const isTaken = takesGzip(request.headers["accept-encoding"]);
    if (!isTaken || request.method === "HEAD" || reply.hasHeader("content-encoding"))
      return done(null, payload);
    reply.header("content-encoding", "gzip");
    gzip(payload, done);
  });
}

/** A large answer comes as the bytes of its text. */
function isText(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload === "string") return true;
  const type = String(reply.getHeader("content-type") ?? "");
  return Buffer.isBuffer(payload) && type.startsWith("application/json");
}

/** Says that the answer differs by Accept-Encoding (RFC 9110 section 12.5.5). */
export function varyByEncoding(reply: FastifyReply): void {
  const varies = reply.getHeader("vary");
  reply.header("vary", varies === undefined ? "accept-encoding" : `${varies}, accept-encoding`);
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
