/** Whole files of bytes, as the command line reads and writes them. */
export type ByteFiles = {
  /** @throws Fault `invalid_request` where it cannot be read */
  read: (path: string) => Promise<Uint8Array>;
  /** @throws Fault `invalid_request` where there is one of this name, or it cannot be written */
  write: (path: string, bytes: Uint8Array) => Promise<void>;
};
