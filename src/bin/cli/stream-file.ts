import { createReadStream } from "node:fs";
import { Fault } from "../../domain/fault.ts";
import { asError } from "../../runtime/as-error.ts";

/** The bytes of a file as they are read. @throws Fault `invalid_request` where they cannot be */
export async function* streamFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk;
  } catch (error) {
    // The system's own message names the file and what is wrong with it.
    throw new Fault("invalid_request", `${asError(error).message}.`, { cause: error });
  }
}
