import { z } from "zod";
import { atOnce, inSlices, type Sliced } from "../domain/in-slices.ts";

/** A fault of a part of a body. */
export type Issue = { path: PropertyKey[]; message: string };

/** After so many nothing further is looked at: an answer names no more. */
export const namedIssues = 100;

/** A body as it was read, or what is wrong with it. */
export type ReadBody<Value> = { kind: "read"; value: Value } | { kind: "refused"; issues: Issue[] };

type Read = (body: unknown) => Sliced<ReadBody<unknown>>;

/** The way the bodies are read that `readSliced` takes. */
const readers = new WeakMap<object, Read>();

/** A body that was read before its schema looks at it. */
class BodyBefore {
  readonly body: ReadBody<unknown>;
  readonly read: Read;

  constructor(body: ReadBody<unknown>, read: Read) {
    this.body = body;
    this.read = read;
  }
}

/**
 * The schema of a body that has a long list. Read with `readSliced` before it is validated, the
 * list holds nobody up.
 */
export function slicedBody<Value>(read: (body: unknown) => Sliced<ReadBody<Value>>) {
  const transform = (body: unknown, context: z.core.$RefinementCtx): Value => {
    const isRead = body instanceof BodyBefore && body.read === read;
    // The same function has read it: it is of the type that the function gives.
    const result = isRead ? (body.body as ReadBody<Value>) : atOnce(read(body));
    if (result.kind === "read") return result.value;
    for (const { path, message } of result.issues)
      context.issues.push({ code: "custom", path, message, input: body });
    return z.NEVER;
  };
  const schema = z.unknown().transform(transform);
  return {
    /** The schema with what the description of the API says of it. */
    meta(meta: z.core.GlobalMeta) {
      const described = schema.meta(meta);
      readers.set(described, read);
      return described;
    },
  };
}

/** The body as its schema takes it, read in slices; as it is where the schema has no long list. */
export async function readSliced(schema: unknown, body: unknown): Promise<unknown> {
  const read = typeof schema === "object" && schema !== null ? readers.get(schema) : undefined;
  return read === undefined ? body : new BodyBefore(await inSlices(read(body)), read);
}

/** True if `readSliced` reads the bodies of a schema. */
export function isSliced(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && readers.has(schema);
}
