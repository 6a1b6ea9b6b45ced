import { connect, type Socket } from "node:net";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { answerBrokenRequest } from "../../../src/api/answers/send-error.ts";
import { limitBodies, longestMs } from "../../../src/api/http/limit-bodies.ts";
import type { Web } from "../../../src/api/http/web.ts";
import { openTestApi } from "../../support/api/test-api.ts";

const head = (path: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nab`;

async function heard(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes("\r\n\r\n")) break;
  }
  return text.slice(0, 12);
}

const largeBodies = ["/reconciliations", "/console/api/reconciliations"];

it.each(largeBodies)("a body that does not arrive is given up, but for %s", async (path) => {
  const server = fastify({ requestTimeout: longestMs, clientErrorHandler: answerBrokenRequest });
  server.addContentTypeParser("*", { parseAs: "string" }, (_request, _body, done) => done(null));
  limitBodies(server as unknown as Web, 50);
  server.post("/usual", async () => "");
  server.post(path, async () => "");
  const port = Number(new URL(await server.listen({ port: 0 })).port);
  try {
    const [usual, large] = [connect(port), connect(port)];
    large.write(head(path));
    usual.write(head("/usual"));
    expect(await heard(usual)).toBe("HTTP/1.1 408");
    large.write("cd");
    expect(await heard(large)).toBe("HTTP/1.1 200");
  } finally {
    await server.close();
  }
});

it("the API has these routes", async () => {
  const api = await openTestApi();
  try {
    await api.web.ready();
    for (const url of largeBodies) expect(api.web.hasRoute({ method: "POST", url })).toBe(true);
  } finally {
    await api.stop();
  }
});
