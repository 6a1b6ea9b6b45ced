/** The files of a folder that a verb fills. After the verb was killed, it can continue there. */
export type FolderFiles = {
  /**
   * Makes the folder if it is missing, readable only by its owner. Its own folder must be there:
   * where it is not, the path may be mistyped. Deletes partial files that a killed process left. So
   * only one process at a time may fill a folder.
   * @throws Fault `invalid_request` if it cannot be made
   */
  make: (path: string) => Promise<void>;
  /**
   * Refuses a file whose folder is missing, before long work for it.
   * @throws Fault `invalid_request`
   */
  requirePlace: (path: string) => Promise<void>;
  /** The SHA-256 of a file in hex, and its length in bytes. Null: there is no such file. */
  digest: (path: string) => Promise<FileDigest | null>;
  /**
   * The relative paths of all files below a folder, sorted, with `/` as separator. A link is
   * listed, and not followed.
   * @throws Fault `invalid_request` if it cannot be read
   */
  list: (path: string) => Promise<string[]>;
  /** The text of a file. Null: there is no such file. */
  readText: (path: string) => Promise<string | null>;
  /**
   * Makes a file, or replaces the one with its name as `replaceFile` does it. Afterwards only its
   * owner may read it, since it may have every customer's balances.
   * @throws Fault `invalid_request` if it cannot be written
   */
  replace: (path: string, text: string) => Promise<void>;
  /** Deletes a file. Safe if there is none. */
  remove: (path: string) => Promise<void>;
};

export type FileDigest = { sha256: string; size: number };
