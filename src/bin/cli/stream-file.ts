import { createReadStream } from "node:fs";
import { Fault } from "../../domain/fault.ts";
import { asError } from "../../runtime/as-error.ts";

/** Streams the bytes of a file. @throws Fault `invalid_request` if they cannot be read */
export async function* streamFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk;
  } catch (error) {
    // The system's own message names the file and the problem.
    throw new Fault("invalid_request", `${asError(error).message}.`, { cause: error });
  }
}
