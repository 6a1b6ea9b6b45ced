/** Reads and writes whole files of bytes, for the command line. */
export type ByteFiles = {
  /** @throws Fault `invalid_request` if the file cannot be read */
  read: (path: string) => Promise<Uint8Array>;
  /** @throws Fault `invalid_request` if the file exists, or cannot be written */
  write: (path: string, bytes: Uint8Array) => Promise<void>;
};
