import { defaultLimits } from "../read-body.ts";
import { createReceive, type ReceiverOptions } from "../receive.ts";

type Reply = { code(status: number): { send(): unknown } };

/**
 * The part of Fastify 4 and 5 that the plugin uses, so that the package depends on neither version.
 */
export type FastifyLike = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parse: (
      request: unknown,
      body: Buffer,
      done: (error: Error | null, body?: Buffer) => void,
    ) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: {
        body: unknown;
        headers: { readonly [name: string]: string | string[] | undefined };
      },
      reply: Reply,
    ) => Promise<unknown>,
  ): unknown;
};

/**
 * A plugin for Fastify: `app.register(fastifyWebhooks({ path: "/webhook", ... }))`. It reads bodies
 * as bytes in its own scope only; your other routes keep their parsers. `bodyTimeoutMs` has no
 * effect here. To end slow requests, set Fastify's `requestTimeout`, which is off by default.
 * @throws RefusedWebhook `weak_secret` as `createReceive` does
 */
export function fastifyWebhooks(options: ReceiverOptions & { path: string }) {
  const receive = createReceive(options);
  const bodyLimit = options.maxBodyBytes ?? defaultLimits.maxBodyBytes;
  return async (fastify: FastifyLike): Promise<void> => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_, body, done) =>
      done(null, body),
    );
    fastify.post(options.path, async ({ body, headers }, reply) => {
      const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      return reply.code(await receive(rawBody, headers)).send();
    });
  };
}
