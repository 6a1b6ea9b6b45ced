/** Files of lines, as the command line reads and writes them at any size. */
export type LineFiles = {
  /** Null: there is no such file. */
  read: (path: string) => Promise<AsyncIterable<string> | null>;
  /**
   * Writes a file, for its owner alone. It is there whole and on the disk, or not at all, and only
   * once `check` has read it back.
   * @throws Fault `invalid_request` where there is one of this name
   */
  write: (
    path: string,
    lines: AsyncIterable<string>,
    check: (lines: AsyncIterable<string>) => Promise<void>,
  ) => Promise<void>;
  /**
   * Refuses a name that `write` would refuse, and one whose folder cannot be written.
   * @throws Fault `invalid_request`
   */
  requireNew: (path: string) => Promise<void>;
  /** As `write`, of texts or bytes that are no lines. */
  writeParts: (
    path: string,
    parts: AsyncIterable<string | Uint8Array>,
    check: (parts: AsyncIterable<Uint8Array>) => Promise<void>,
  ) => Promise<void>;
};
