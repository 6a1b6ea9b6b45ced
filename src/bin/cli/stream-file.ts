import { createReadStream } from "node:fs";
import { fileFault } from "../../domain/file-fault.ts";

/** Streams the bytes of a file. @throws Fault `invalid_request` if they cannot be read */
export async function* streamFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk;
  } catch (error) {
    throw fileFault(path, "read", error);
  }
}
