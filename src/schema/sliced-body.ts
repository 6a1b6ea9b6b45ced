import { z } from "zod";
import { atOnce, inSlices, type Sliced } from "../domain/in-slices.ts";

/** A fault of a part of a body. */
export type Issue = { path: PropertyKey[]; message: string };

/** After this many issues reading stops, because an answer names no more. */
export const namedIssues = 100;

/** The value of a body, or what is wrong with it. */
export type ReadBody<Value> = { kind: "read"; value: Value } | { kind: "refused"; issues: Issue[] };

type Read = (body: unknown) => Sliced<ReadBody<unknown>>;

/** The function with which `readSliced` reads the bodies of each schema. */
const readers = new WeakMap<object, Read>();

/** A body that was read before its schema validates it. */
class BodyBefore {
  readonly body: ReadBody<unknown>;
  readonly read: Read;

  constructor(body: ReadBody<unknown>, read: Read) {
    this.body = body;
    this.read = read;
  }
}

/**
 * The schema of a body with a long list. Read the body with `readSliced` before validation, so that
 * the list does not block other work.
 */
export function slicedBody<Value>(read: (body: unknown) => Sliced<ReadBody<Value>>) {
  const transform = (body: unknown, context: z.core.$RefinementCtx): Value => {
    const isRead = body instanceof BodyBefore && body.read === read;
    // The same function has read the body, so it has that type.
    const result = isRead ? (body.body as ReadBody<Value>) : atOnce(read(body));
    if (result.kind === "read") return result.value;
    for (const { path, message } of result.issues)
      context.issues.push({ code: "custom", path, message, input: body });
    return z.NEVER;
  };
  const schema = z.unknown().transform(transform);
  return {
    /** The schema with its description for the OpenAPI document. */
    meta(meta: z.core.GlobalMeta) {
      const described = schema.meta(meta);
      readers.set(described, read);
      return described;
    },
  };
}

/**
 * The body as its schema expects it, read in slices. If the schema has no long list, the body as it
 * is.
 */
export async function readSliced(schema: unknown, body: unknown): Promise<unknown> {
  const read = typeof schema === "object" && schema !== null ? readers.get(schema) : undefined;
  return read === undefined ? body : new BodyBefore(await inSlices(read(body)), read);
}

/** True if `readSliced` reads the bodies of a schema. */
export function isSliced(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && readers.has(schema);
}
