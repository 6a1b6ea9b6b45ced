// @ts-check
// Reads Parquet in a thread of its own, for add-again.mjs: a changed byte may send the reader in
// circles.
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

const hyparquet = createRequire(new URL("../test/package.json", import.meta.url)).resolve(
  "hyparquet",
);

const reading = `
  const { parentPort, workerData } = require("node:worker_threads");
  parentPort.on("message", async (bytes) => {
    const { parquetReadObjects } = await import(workerData);
    const rows = await parquetReadObjects({ file: bytes.buffer }).catch((error) => String(error));
    parentPort.postMessage(rows);
  });`;

/** A file is read in milliseconds. */
const longestMs = 5_000;

/** @type {{ worker: Worker | null }} */
const reader = { worker: null };

/**
 * The rows of a file. Throws if it cannot be read, or not within 5 s. Read one file after another.
 * @param {Buffer} bytes
 * @returns {Promise<any[]>}
 */
export async function readRows(bytes) {
  const worker = reader.worker ?? new Worker(reading, { eval: true, workerData: hyparquet });
  reader.worker = worker;
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    worker.postMessage(Uint8Array.from(bytes));
    const late = sleep(longestMs, [null], { signal });
    late.catch(() => undefined);
    const [rows] = await Promise.race([once(worker, "message", { signal }), late]);
    if (rows === null) await endReader();
    if (!Array.isArray(rows)) throw new Error(rows ?? "the reader goes in circles");
    return rows;
  } finally {
    waiting.abort();
  }
}

/** Ends the thread, so that the process can end. The next file is read in a new one. */
export async function endReader() {
  const { worker } = reader;
  reader.worker = null;
  await worker?.terminate();
}
