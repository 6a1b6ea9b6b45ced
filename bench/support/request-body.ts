import type { IncomingMessage } from "node:http";

/** Calls back with the whole body of a request, as text. */
export function onBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => then(Buffer.concat(chunks).toString()));
}
