import { gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { Web } from "./web.ts";

/** Shorter texts fit in one packet, so compressing them gains nothing. */
const leastBytes = 1_400;

/**
 * Sends long texts as gzip to clients that take it. A full page of transactions shrinks to a tenth.
 * Answers to changes are not compressed, since one may have a new secret beside a text of the
 * caller. The length of both as gzip would help to guess the secret (CVE-2013-3587).
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

/** True for text, including a large answer in bytes. */
function isText(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload === "string") return true;
  const type = String(reply.getHeader("content-type") ?? "");
  return Buffer.isBuffer(payload) && type.startsWith("application/json");
}

/** Adds Accept-Encoding to the header Vary (RFC 9110 section 12.5.5). */
export function varyByEncoding(reply: FastifyReply): void {
  const varies = reply.getHeader("vary");
  reply.header("vary", varies === undefined ? "accept-encoding" : `${varies}, accept-encoding`);
}

/** True if the header accepts gzip (RFC 9110 section 12.5.3). */
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
