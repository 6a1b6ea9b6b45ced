// Loaded into a daemon with `--import`: it measures for how long anything holds the event loop, in
// CPU time of its thread, so that other work of the machine does not count. Answers the most since
// it was asked last, in ms, at the port of CHAINBELL_BENCH_LOOP_PORT.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

const everyMs = 2;
const port = process.env["CHAINBELL_BENCH_LOOP_PORT"];

if (isMainThread && port !== undefined) watch(Number(port));

function watch(at: number): void {
  let before = usedMs();
  let most = 0;
  setInterval(() => {
    const now = usedMs();
    most = Math.max(most, now - before);
    before = now;
  }, everyMs).unref();
  const server = createServer((_request, response) => {
    response.end(String(most));
    most = 0;
  });
  server.listen(at, "127.0.0.1").unref();
}

/** The first number of a thread's schedstat is the ns for which it ran. */
function usedMs(): number {
  const [ns = ""] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
  return Number(ns) / 1e6;
}
