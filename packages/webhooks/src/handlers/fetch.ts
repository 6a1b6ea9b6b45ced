import { defaultLimits, readBody } from "../read-body.ts";
import { createReceive, type ReceiverOptions } from "../receive.ts";

/**
 * A handler for every runtime that has Request, Response and node:crypto: Next.js, Deno, Bun and
 * service workers.
 * @throws RefusedWebhook `weak_secret` as `createReceive` does
 */
export function fetchHandler(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const receive = createReceive(options);
  const limits = { ...defaultLimits, ...limitsIn(options) };
  return async (request) => {
    if (request.method !== "POST")
      return new Response(null, { status: 405, headers: { allow: "POST" } });
    const body =
      request.body === null ? Buffer.alloc(0) : await readBody(chunksOf(request.body), limits);
    if (!Buffer.isBuffer(body)) return new Response(null, { status: body.status ?? 400 });
    return new Response(null, { status: await receive(body, request.headers) });
  };
}

/** For Hono: `app.post("/webhook", honoHandler({ ... }))`. */
export function honoHandler(
  options: ReceiverOptions,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = fetchHandler(options);
  return (context) => handle(context.req.raw);
}

function limitsIn({ maxBodyBytes, bodyTimeoutMs }: ReceiverOptions) {
  return {
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(bodyTimeoutMs === undefined ? {} : { bodyTimeoutMs }),
  };
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a sender that hangs must not delay the answer.
    reader.cancel().catch(() => undefined);
  }
}
