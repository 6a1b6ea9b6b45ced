import { write, writeSync } from "node:fs";

export type LineOutput = { write: (line: string) => void };

/** The most characters that wait while nothing can be written. Further lines are lost. */
const mostWaiting = 8 * 1024 * 1024;

/** The pause before the next try: for a reader that is slow, and for any other failure, in ms. */
const retryMs = { slow: 20, failed: 1_000 };

/** The time that a slow reader gets at the end of the process, in ms. */
const lastMs = 1_000;

const outputs = new Map<number, LineOutput>();

/**
 * The output of lines to a descriptor of this process, such as 1 for standard output. Lines keep
 * their order. It never throws, and the process never waits for it: a daemon must work although
 * nobody can read its log. Lines wait while a disk is full or a reader is slow, up to a limit. When
 * the process ends, they are written as far as that is possible.
 */
export function lineOutput(descriptor: number): LineOutput {
  const known = outputs.get(descriptor) ?? openOutput(descriptor);
  outputs.set(descriptor, known);
  return known;
}

function openOutput(descriptor: number): LineOutput {
  let waiting: string[] = [];
  let length = 0;
  /** The lines that are written now. Empty: none are. */
  let current: Uint8Array = new Uint8Array();
  let isWriting = false;
  let isRetrying = false;
  /** Nobody will ever read it. */
  let isClosed = false;

  function takeWaiting(): Uint8Array {
    const text = waiting.join("");
    waiting = [];
    length = 0;
    return Buffer.from(text);
  }

  function next(): void {
    isRetrying = false;
    if (current.length === 0) current = takeWaiting();
    if (current.length === 0 || isClosed) return;
    isWriting = true;
    write(descriptor, current, (error, written) => {
      isWriting = false;
      if (error === null) {
        current = current.subarray(written);
        next();
      } else if (error.code === "EPIPE") {
        isClosed = true;
        current = new Uint8Array();
        takeWaiting();
      } else {
        isRetrying = true;
        setTimeout(next, isSlow(error) ? retryMs.slow : retryMs.failed).unref();
      }
    });
  }

  // The system still writes the lines that are under way.
  process.on("exit", () => {
    if (isClosed) return;
    if (!isWriting) writeLast(descriptor, current);
    writeLast(descriptor, takeWaiting());
  });

  return {
    write(line) {
      if (isClosed || length + line.length > mostWaiting) return;
      waiting.push(line);
      length += line.length;
      if (!isWriting && !isRetrying) next();
    },
  };
}

/** Writes without the event loop, which has ended. Gives up if nothing can be written. */
function writeLast(descriptor: number, text: Uint8Array): void {
  const untilMs = performance.now() + lastMs;
  for (let rest = text; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (!isSlow(error) || performance.now() > untilMs) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs.slow);
    }
  }
}

/** True if the reader of a pipe has not read enough yet. */
function isSlow(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
