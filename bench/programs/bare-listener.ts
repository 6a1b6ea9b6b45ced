// The floor of a start: a process of Node's own that listens at PORT, and imports nothing else.
import { createServer } from "node:http";

createServer((_request, response) => response.end("{}")).listen(
  Number(process.env["PORT"]),
  "127.0.0.1",
);
