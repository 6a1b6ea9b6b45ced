import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { takesGzip } from "../http/compress.ts";
import type { Web } from "../http/web.ts";

/**
 * Allows only the pages' own files and requests. Nothing inline and nothing from another host is
 * loaded, and no text becomes markup or script.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  vary: "accept-encoding",
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** Files whose names contain a hash of their content. */
const hashed = /^\/console\/assets\//;

type Page = { file: string; type: string; cached: string };

type Content = { plain: Buffer; zipped: Buffer };

const zip = promisify<Buffer, { level: number }, Buffer>(gzip);

/** The strongest compression, since each file is compressed only once. */
const smallest = 9;

/**
 * Serves the console's files, as they were when the server was made. Compares a request's path with
 * their paths, so it never reaches the file system. Any other path without an extension is a page
 * of the application: index.html. Without a build nothing is served.
 * @param folder the folder of the build, which contains index.html
 */
export function pagesRoutes(web: Web, { folder }: { folder: string }): void {
  const pages = pagesIn(folder);
  const index = pages.get("/console/index.html");
  if (index === undefined) return;
  const read = readOnce();
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ""] = request.url.split("?");
    const page = pages.get(path) ?? (isApplication(path) ? index : null);
    if (page === null) return reply.callNotFound();
    const { plain, zipped } = await read(page.file);
    const isZipped = takesGzip(request.headers["accept-encoding"]);
    reply.headers(headers).header("cache-control", page.cached).type(page.type);
    if (isZipped) reply.header("content-encoding", "gzip");
    return reply.send(isZipped ? zipped : plain);
  };
  const schema = { hide: true };
  web.get("/", { schema, prefixTrailingSlash: "no-slash" }, send);
  web.get("/*", { schema }, send);
}

/**
 * The URL to use for routing. The name of a page may have percent signs that decode to no
 * character. Then the application itself says that there is no such page.
 */
export function routedUrl(url: string): string {
  const [path = ""] = url.split("?");
  const isPage = path.startsWith("/console/") && isApplication(path);
  return isPage && !isReadable(path) ? "/console/" : url;
}

function isReadable(path: string): boolean {
  try {
    // The build removes a call of decodeURI without use of its result, and so its throw.
    return decodeURI(path) !== "";
  } catch {
    return false;
  }
}

/** True for a page of the application. The excluded paths are asked for by programs. */
function isApplication(path: string): boolean {
  return extname(path) === "" && !/^\/console\/(?:api|session|sessions|events)(?:\/|$)/.test(path);
}

/** The files, by the path of the URL. */
function pagesIn(folder: string): Map<string, Page> {
  const entries = listed(folder);
  return new Map(
    entries.flatMap((name) => {
      const path = `/console/${name}`;
      const type = types[extname(name)];
      const cached = hashed.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
      return type === undefined ? [] : [[path, { file: join(folder, name), type, cached }]];
    }),
  );
}

function listed(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return entries.map((name) => name.replaceAll("\\", "/"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Reads and compresses each file at its first request, and caches it. All files together are less
 * than a megabyte.
 */
function readOnce(): (file: string) => Promise<Content> {
  const contents = new Map<string, Promise<Content>>();
  const load = async (file: string) => {
    const plain = await readFile(file);
    return { plain, zipped: await zip(plain, { level: smallest }) };
  };
  return (file) => {
    const known = contents.get(file) ?? load(file);
    contents.set(file, known);
    // After a failure, the next request reads the file again.
    known.catch(() => contents.delete(file));
    return known;
  };
}
