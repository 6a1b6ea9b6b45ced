import type { FastifyRequest } from "fastify";
import { inSlices, type Sliced, sliceItems } from "../../domain/in-slices.ts";
import { isSliced, readSliced } from "../../schema/sliced-body.ts";
import type { Web } from "./web.ts";

/** The most members that all lists of a body may have. A body with more is refused early. */
const mostMembers = 100_000;

/** A shorter list is made into text at once. */
const longList = 200;

/** The most characters of a body that are parsed at once. */
const partCharacters = 64 * 1024;

/** The original bodies of requests whose `body` was replaced by what was read of it. */
const sentBodies = new WeakMap<FastifyRequest, unknown>();

/** The body of a request as the caller sent it, before its lists were read in slices. */
export function bodyAsSent(request: FastifyRequest): unknown {
  return sentBodies.has(request) ? sentBodies.get(request) : request.body;
}

/**
 * Reads large bodies and makes large answers slice by slice. They then block neither other requests
 * nor the work of the process. A route with a large body limit needs a schema that is read in
 * slices. Otherwise adding the route throws.
 */
export function sliceLargeJson(web: Web): void {
  web.addHook("onRoute", ({ url, bodyLimit = 0, schema }) => {
    const isLarge = bodyLimit > partCharacters && schema?.body !== undefined;
    if (isLarge && !isSliced(schema?.body))
      throw new Error(`The body of ${url} may be large, and is not read in slices.`);
  });
  const parser = web.getDefaultJsonParser("error", "error");
  web.removeContentTypeParser("application/json");
  web.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text.length <= partCharacters) return parser(request, text, done);
    const parse = (part: string) => {
      let parsed: { error: Error | null; value?: unknown } = { error: null };
      void parser(request, part, (error, value) => {
        parsed = { error, value };
      });
      if (parsed.error !== null) throw parsed.error;
      return parsed.value;
    };
    inSlices(parseSliced(text, parse)).then((value) => done(null, value), done);
  });
  web.addHook("preValidation", (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body;
    if (!isSliced(schema)) return done();
    sentBodies.set(request, request.body);
    readSliced(schema, request.body).then((body) => {
      request.body = body;
      done();
    }, done);
  });
  web.addHook("preSerialization", (_request, _reply, answer, done) => {
    if (!isObject(answer) || !hasLongList(answer)) return done(null, answer);
    inSlices(slicedAnswer(answer)).then((sliced) => done(null, sliced), done);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** An answer that was made into text slice by slice. */
class SlicedAnswer {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

function hasLongList(value: object): boolean {
  return Object.values(value).some((member) => Array.isArray(member) && member.length > longList);
}

/** Makes the bytes slice by slice too, because some MB of text take a while to encode. */
function* slicedAnswer(answer: object): Sliced<SlicedAnswer> {
  const encoded: Buffer[] = [];
  for (const piece of yield* piecesOf(answer)) {
    encoded.push(Buffer.from(piece));
    yield;
  }
  return new SlicedAnswer(Buffer.concat(encoded));
}

/** The JSON of an answer, in the form that is sent. */
export function serialize(answer: unknown): string | Buffer {
  return answer instanceof SlicedAnswer ? answer.bytes : JSON.stringify(answer);
}

/** The JSON of an answer that is about to be sent. */
export function jsonOf(answer: unknown): string {
  return serialize(answer).toString();
}

/** The same text as JSON.stringify makes. Long lists are made slice by slice. */
export function* textOf(value: unknown): Sliced<string> {
  const pieces = yield* piecesOf(value);
  return pieces.join("");
}

/** Leaves out members that JSON cannot express, as JSON.stringify does. */
function* piecesOf(value: unknown): Sliced<string[]> {
  const isPlain = typeof value === "object" && value !== null && !("toJSON" in value);
  if (!isPlain || Array.isArray(value) || !hasLongList(value)) return [JSON.stringify(value)];
  const pieces: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const some = Array.isArray(member) ? yield* piecesOfList(member) : [JSON.stringify(member)];
    if (some[0] === undefined) continue;
    pieces.push(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`, ...some);
  }
  return [...pieces, "}"];
}

function* piecesOfList(list: readonly unknown[]): Sliced<string[]> {
  const pieces: string[] = [];
  for (let first = 0; first < list.length; first += sliceItems) {
    if (first > 0) yield;
    const slice = JSON.stringify(list.slice(first, first + sliceItems)).slice(1, -1);
    pieces.push(`${first === 0 ? "[" : ","}${slice}`);
  }
  return list.length === 0 ? ["[]"] : [...pieces, "]"];
}

/**
 * Parses the JSON of a large body: an object with lists that may be long. Lists are parsed in
 * parts. A member of a list has at most some 100 KB, everything outside of the lists at most 64
 * KiB. There are at most 100,000 members in all.
 * @param parse parses the JSON of one part, and throws if it is invalid
 * @throws what `parse` throws; an error of status 413 for a body beyond these limits
 */
export function* parseSliced(text: string, parse: (part: string) => unknown): Sliced<unknown> {
  const isObject = text.trimStart().startsWith("{");
  const { lists, rest } = isObject ? yield* partsOf(text) : { lists: [], rest: text };
  if (rest.length > partCharacters) throw tooLarge();
  const outline = parse(rest);
  const read: unknown[][] = [];
  let count = 0;
  for (const list of lists) {
    const members: unknown[] = [];
    for (const part of list) {
      const some = parse(`[${part}]`);
      // An empty part is next to a superfluous comma, which this makes `parse` refuse.
      if (!Array.isArray(some) || (some.length === 0 && list.length > 1)) return parse("[,]");
      for (const member of some) members.push(member);
      count += some.length;
      if (count > mostMembers) throw tooLarge();
      yield;
    }
    read.push(members);
  }
  if (typeof outline !== "object" || outline === null) return outline;
  const filled = Object.entries(outline).map(([name, value]) => {
    const [number] = Array.isArray(value) ? value : [];
    return [name, typeof number === "number" ? read[number] : value];
  });
  return Object.fromEntries(filled);
}

/** `rest`: the text of the object, in which `[n]` stands for list number n. */
type Parts = { lists: string[][]; rest: string };

const codes = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openList: 0x5b,
  closeList: 0x5d,
  open: 0x7b,
  close: 0x7d,
};

/** Finds where lists begin and end, and where they can be divided. */
function* partsOf(text: string): Sliced<Parts> {
  const lists: string[][] = [];
  let rest = "";
  let restFrom = 0;
  let parts: string[] = [];
  let partFrom = 0;
  let depth = 0;
  let stopAt = 0;
  let isText = false;
  let isList = false;
  for (let at = 0; at < text.length; at += 1) {
    if (at > stopAt) {
      stopAt = at + 4 * partCharacters;
      yield;
    }
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === codes.backslash) at += 1;
      else if (sign === codes.quote) isText = false;
    } else if (sign === codes.quote) isText = true;
    else if (sign === codes.open || sign === codes.openList) {
      depth += 1;
      if (depth === 2 && sign === codes.openList && !isList) {
        isList = true;
        rest += text.slice(restFrom, at + 1) + lists.length;
        if (rest.length > partCharacters) throw tooLarge();
        parts = [];
        partFrom = at + 1;
      }
    } else if (sign === codes.close || sign === codes.closeList) {
      depth -= 1;
      if (isList && depth === 1) {
        isList = false;
        parts.push(partOf(text, partFrom, at));
        lists.push(parts);
        restFrom = at;
      }
    } else if (
      sign === codes.comma &&
      isList &&
      depth === 2 &&
      at - partFrom >= partCharacters / 2
    ) {
      parts.push(partOf(text, partFrom, at));
      partFrom = at + 1;
    }
  }
  return { lists, rest: rest + text.slice(restFrom) };
}

function partOf(text: string, from: number, to: number): string {
  if (to - from > 2 * partCharacters) throw tooLarge();
  return text.slice(from, to);
}

function tooLarge(): Error {
  return Object.assign(new Error("A part of the body is too large."), { statusCode: 413 });
}
