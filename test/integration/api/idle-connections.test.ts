import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createApiServer } from "../../../src/api/server.ts";
import { apiDeps, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 15_000;
const most = 1_000;

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi();
});

afterAll(() => api.stop());

async function openServer(trustedProxies: string[]) {
  const deps = { ...apiDeps(api, api.clock), trustedProxies };
  const server = createApiServer(deps, { host: "127.0.0.1", port: 0 });
  await server.start();
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  });
  return {
    /** Connects, in this order. Answers the connections that are closed by now. */
    async connect(count: number) {
      for (let index = 0; index < count; index += 1) {
        const socket = connect(server.address().port, "127.0.0.1");
        // A close that comes with unread data is a reset.
        socket.on("error", () => undefined);
        sockets.push(socket);
        await new Promise((resolve) => socket.once("connect", resolve));
      }
    },
    closed: () => sockets.flatMap(({ closed }, index) => (closed ? [index] : [])),
    ask: (index: number) => sockets[index]?.write("GET /health HTTP/1.1\r\nhost: a\r\n\r\n"),
    read: (index: number) => sockets[index]?.bytesRead ?? 0,
  };
}

test("an address with too many idle connections loses the one that was idle for longest", async () => {
  const server = await openServer([]);
  await server.connect(most);
  server.ask(0);
  await waitFor(() => server.read(0) > 0, { what: "the answer", timeoutMs });
  await server.connect(2);
  await waitFor(() => server.closed().length === 2, { what: "two closed ones", timeoutMs });
  expect(server.closed()).toEqual([1, 2]);
});

test("a trusted proxy has any number of them", async () => {
  const server = await openServer(["127.0.0.0/8"]);
  await server.connect(most + 2);
  server.ask(most + 1);
  await waitFor(() => server.read(most + 1) > 0, { what: "the answer", timeoutMs });
  expect(server.closed()).toEqual([]);
});
