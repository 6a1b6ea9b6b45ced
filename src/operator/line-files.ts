/** Reads and writes files of lines of any size, for the command line. */
export type LineFiles = {
  /** Null: there is no such file. */
  read: (path: string) => Promise<AsyncIterable<string> | null>;
  /**
   * Writes a new file, readable only by its owner. The file appears whole and flushed to the disk,
   * or not at all, and only after `check` has read it back.
   * @throws Fault `invalid_request` if there is a file with this name
   */
  write: (
    path: string,
    lines: AsyncIterable<string>,
    check: (lines: AsyncIterable<string>) => Promise<void>,
  ) => Promise<void>;
  /**
   * Refuses a name that `write` would refuse, and one in a folder that cannot be written.
   * @throws Fault `invalid_request`
   */
  requireNew: (path: string) => Promise<void>;
  /** As `write`, for texts or bytes that are not lines. */
  writeParts: (
    path: string,
    parts: AsyncIterable<string | Uint8Array>,
    check: (parts: AsyncIterable<Uint8Array>) => Promise<void>,
  ) => Promise<void>;
};
