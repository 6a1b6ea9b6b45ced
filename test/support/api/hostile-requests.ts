import { type Document, operationsOf } from "../../../src/api/description/document.ts";
import { bodySchemas, parametersOf } from "./described.ts";

// Requests that no honest client sends, made from the description of the API: each known field
// filled with what it must not be, and each part of a request bent. The same seed makes the same
// requests.

export type HostileRequest = {
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer | null;
};

/** Mulberry32: small, seeded, good enough to vary requests. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const texts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "'; DROP TABLE wallet; --",
  "' OR '1'='1",
  "$1",
  "%s%n%x",
  "$".concat("{7*7}"),
  "{{7*7}}",
  "../../../../etc/passwd",
  "..\\..\\windows",
  "%2e%2e%2f",
  "%00",
  "%zz",
  "\ud800",
  "\udfff\ud800",
  "\u202eabc",
  "\ufeff",
  "é".normalize("NFD"),
  "👩‍👩‍👧‍👦".repeat(60),
  "ﷺ".repeat(200),
  "x".repeat(199),
  "x".repeat(201),
  "x".repeat(5_000),
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e309",
  "9007199254740993",
  "18446744073709551616",
  "0x10",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "<script>alert(1)</script>",
  "\r\nx-injected: 1",
  "2026-13-45",
  "0000-01-01",
  "9999-12-31T23:59:60Z",
  "+275760-09-13T00:00:00.000Z",
  "2026-01-01T00:00:00+99:99",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "AAAAAAAAAAAAAAAAAAAAAA",
  "_____________________w",
  "0x0000000000000000000000000000000000000000",
  `0x${"f".repeat(64)}`,
  "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49",
  "http://169.254.169.254/latest/meta-data",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://user:pass@example.com",
  `https://${"a".repeat(3_000)}.example`,
];

const values: unknown[] = [
  ...texts,
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -0,
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  { __proto__: null, toString: 1 },
  { $gt: "" },
  { length: 1e9 },
];

export type Target = { method: string; path: string; query: string[]; fields: string[] };

/** Every operation of the description, with the names of its query and body fields. */
export function targetsOf(document: Document): Target[] {
  return operationsOf(document).map(({ method, path, operation }) => ({
    method: method.toUpperCase(),
    path,
    query: parametersOf(document, operation)
      .filter((one) => one.in === "query")
      .map(({ name }) => name),
    fields: bodySchemas(document, operation).flatMap(({ properties }) =>
      Object.keys(properties ?? {}),
    ),
  }));
}

/**
 * One request at one of the targets. `ids` are of things that exist: half of the paths lead
 * somewhere.
 */
export function hostileRequest(
  random: () => number,
  targets: readonly Target[],
  given: { ids: readonly string[]; credentials: readonly [string, string][] },
): HostileRequest {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const target = pick(targets);
  const path = target.path.replace(/\{\w+\}/g, () =>
    random() < 0.5 ? pick(given.ids) : pathText(pick(texts)),
  );
  const method =
    random() < 0.9
      ? target.method
      : pick(["GET", "POST", "PUT", "DELETE", "HEAD", "TRACE", "OPTIONS"]);
  const headers: [string, string][] = [];
  if (random() < 0.9) headers.push(pick(given.credentials));
  if (random() < 0.15) headers.push(oddHeader(pick));
  const query = random() < 0.5 ? queryText(random, pick, target.query) : "";
  if (method === "GET" || method === "HEAD" || method === "TRACE") {
    return { method, path: `${path}${query}`, headers, body: null };
  }
  const [type, body] = bodyOf(random, pick, target.fields);
  headers.push(["content-type", type]);
  return { method, path: `${path}${query}`, headers, body };
}

type Pick = <T>(list: readonly T[]) => T;

function pathText(text: string): string {
  return /\p{Cs}/u.test(text) ? "%ED%A0%80" : encodeURIComponent(text) || "%20";
}

function queryText(random: () => number, pick: Pick, names: readonly string[]): string {
  const count = Math.floor(random() * 4) + 1;
  const pairs = Array.from({ length: count }, () => {
    const name =
      random() < 0.8 && names.length > 0 ? pick(names) : pick([...texts, "__proto__", "a[b]"]);
    const value = pick(texts);
    // Now and then as it is, or as bytes that are no UTF-8.
    if (random() < 0.1) return `${pathText(name)}=%ff%fe%c0%af`;
    return `${pathText(name)}=${pathText(value)}`;
  });
  return `?${pairs.join(random() < 0.1 ? ";" : "&")}`;
}

function oddHeader(pick: Pick): [string, string] {
  return pick<[string, string]>([
    ["x-request-id", "a".repeat(4_000)],
    ["accept-encoding", "gzip;q=x, *;q=0, br, identity;q=-1"],
    ["accept", "text/html"],
    ["origin", "https://evil.example"],
    ["x-forwarded-for", "127.0.0.1, ::1"],
    ["x-http-method-override", "DELETE"],
    ["host", "evil.example"],
    ["cookie", "a=b; ".repeat(500)],
    ["authorization", `Bearer ${"a".repeat(6_000)}`],
    ["authorization", "Basic b3BzOm9wcw=="],
    ["x-api-key", "cb_'; SELECT 1; --"],
    ["if-none-match", "*"],
    ["range", "bytes=0-18446744073709551615"],
    ["expect", "200-maybe"],
    ["content-encoding", "gzip"],
  ]);
}

function bodyOf(random: () => number, pick: Pick, names: readonly string[]): [string, Buffer] {
  const kind = random();
  const json = "application/json";
  if (kind < 0.6) {
    const fields = [...names, "__proto__", "extra"];
    const entries = Array.from({ length: Math.floor(random() * 5) }, () => [
      pick(fields),
      pick(values),
    ]);
    return [json, Buffer.from(JSON.stringify(Object.fromEntries(entries)))];
  }
  if (kind < 0.7) return [json, Buffer.from(JSON.stringify(pick(values)))];
  const deep = Math.floor(random() * 20_000);
  return pick<[string, Buffer]>([
    [json, Buffer.from("[".repeat(deep))],
    [json, Buffer.from(`${"[".repeat(deep)}${"]".repeat(deep)}`)],
    [json, Buffer.from(`${'{"a":'.repeat(deep / 6)}1${"}".repeat(deep / 6)}`)],
    [json, Buffer.from('{"url":"a","url":"b"}')],
    [json, Buffer.from('{"__proto__":{"isAdmin":true}}')],
    [json, Buffer.from('{"constructor":{"prototype":{"x":1}}}')],
    [json, Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
    [json, Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    [json, Buffer.from("\ufeff{}")],
    [json, Buffer.from("{'a':1}")],
    [json, Buffer.from('{"name":1e400}')],
    [json, Buffer.from('{"name":"\\ud800"}')],
    [
      json,
      Buffer.from(`{"wallets":[${'{"blockchain":"ethereum","address":"0x1"},'.repeat(500)}{}]}`),
    ],
    [json, Buffer.from(`{"name":"${"y".repeat(70_000)}"}`)],
    [json, Buffer.alloc(0)],
    ["application/json; charset=utf-16", Buffer.from("{}", "utf16le")],
    ["application/json;;;=", Buffer.from("{}")],
    ["text/plain", Buffer.from("{}")],
    [
      "application/xml",
      Buffer.from('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    ],
    ["multipart/form-data; boundary=x", Buffer.from("--x\r\n\r\n--x--")],
    ["application/x-www-form-urlencoded", Buffer.from("url=x&__proto__[a]=b")],
    ["", Buffer.from("{}")],
  ]);
}
