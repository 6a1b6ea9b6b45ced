import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { id: number; method: string; params?: unknown[] };

/**
 * A JSON-RPC server over HTTP; a method without an answer (undefined) is not offered. Whoever
 * starts it stops it.
 */
export async function serveAnswers(
  resultOf: (method: string, params: unknown[]) => Promise<unknown>,
) {
  async function answer({ id, method, params = [] }: Call): Promise<object> {
    const result = await resultOf(method, params);
    if (result !== undefined) return { jsonrpc: "2.0", id, result };
    const message = `the method ${method} does not exist`;
    return { jsonrpc: "2.0", id, error: { code: -32_601, message } };
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Call | Call[];
    response.setHeader("content-type", "application/json");
    const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body);
    response.end(JSON.stringify(answers));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
