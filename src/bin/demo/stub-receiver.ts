import { createServer } from "node:http";

export type StubReceiver = {
  /** A URL that answers every request with this status. */
  url: (status: number) => string;
  close: () => Promise<void>;
};

/** Starts receivers that verify nothing. The path decides the status of the answer. */
export async function startStubReceiver(): Promise<StubReceiver> {
  const server = createServer((request, response) => {
    const status = Number(/^\/(\d{3})$/.exec(request.url ?? "")?.[1] ?? 404);
    request.resume().on("end", () => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end(status >= 500 ? "The order service is down for maintenance." : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: (status) => `http://127.0.0.1:${address.port}/${status}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
