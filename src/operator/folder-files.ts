/** The files of a folder that a verb fills, and fills on after it was killed. */
export type FolderFiles = {
  /**
   * Makes the folder where there is none, for its owner alone. Takes away parts of files that a
   * process left when it was killed: one process at a time fills a folder.
   * @throws Fault `invalid_request` where it cannot be made
   */
  make: (path: string) => Promise<void>;
  /** The SHA-256 of a file, hex, and its bytes; null: there is no such file. */
  digest: (path: string) => Promise<FileDigest | null>;
  /**
   * The names of everything below a folder that is no folder, in order, with `/` between the parts.
   * A link is one of them, and is not followed.
   * @throws Fault `invalid_request` where it cannot be read
   */
  list: (path: string) => Promise<string[]>;
  /** The text of a file; null: there is no such file. */
  readText: (path: string) => Promise<string | null>;
  /**
   * Writes a file in the place of the one of its name. One of the two is there whole, whenever the
   * process is killed.
   * @throws Fault `invalid_request` where it cannot be written
   */
  replace: (path: string, text: string) => Promise<void>;
  /** Takes a file away. There may be none. */
  remove: (path: string) => Promise<void>;
};

export type FileDigest = { sha256: string; size: number };
