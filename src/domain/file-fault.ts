import { Fault } from "./fault.ts";

type Deed = "read" | "written" | "made" | "removed";

/** The reasons that the system names by a code, and that the operator can mend. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["EACCES", "this user may not"],
  ["EEXIST", "it is there already. Name another one"],
  ["EISDIR", "it is a folder"],
  ["ENOSPC", "the disk is full"],
  ["ENOTDIR", "a part of its path is a file"],
  ["EPERM", "this user may not"],
  ["EROFS", "the file system is read-only"],
]);

/**
 * The fault for an error of the system about a file or folder: `invalid_request` with its path and
 * the reason. Any other error is returned as it is.
 */
export function fileFault(path: string, deed: Deed, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === null) return cause;
  const absent = deed === "read" ? "there is none" : "its folder does not exist";
  const why = code === "ENOENT" ? absent : (reasons.get(code) ?? code);
  return new Fault("invalid_request", `${path} cannot be ${deed}: ${why}.`, { cause });
}

/** The code of a system error, such as ENOENT. Null: it is another error. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof Fault) return null;
  return "code" in error ? String(error.code) : null;
}
