import { randomUUID } from "node:crypto";
import {
  chmod,
  chown,
  type FileHandle,
  link,
  open,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";

// A file is written under another name beside its own, and flushed to the disk. Then it gets its
// name in one step, and the folder is flushed too. So it is there whole, or not at all, even after
// a power failure. If a step fails, such as on a full disk, the draft is removed and the error is
// thrown. Only a killed process leaves its draft, which has a name like no other.

const draftName = /\.[0-9a-f-]{36}\.partial$/;

/** True for the name of a draft. While no process writes in its folder, it may be deleted. */
export function isDraft(name: string): boolean {
  return draftName.test(name);
}

/**
 * Replaces a file, or makes it: afterwards the old or the new text is there whole.
 * - `rights` "kept": the owner and the mode stay. "private": it is readable only by its owner, who
 *   is this process. So is a new file.
 * - A link stays a link, and its file is replaced. A link to nothing is replaced itself.
 * - A device is written to, since a file would take its place.
 * - The folder must be writable. A file that is a mount of its own (one file given to a container)
 *   is refused with EBUSY.
 *
 * Throws the system's error, and leaves the file as it was. Two calls at once are safe: the last
 * one wins.
 */
export async function replaceFile(
  path: string,
  text: string,
  rights: "kept" | "private",
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const known = await stat(target).catch(() => null);
  if (known !== null && !known.isFile()) return writeFile(target, text);
  await throughDraft(target, {
    fill: async (file) => file.writeFile(text),
    async publish(draft) {
      if (known !== null && rights === "kept") {
        // Only root may give a file away. Everybody else owns the draft already, or cannot.
        await chown(draft, known.uid, known.gid).catch(() => {});
        await chmod(draft, known.mode & 0o777);
      }
      await rename(draft, target);
    },
  });
}

/**
 * Makes a file that is not there yet, readable only by its owner. Refuses a name that is taken with
 * EEXIST, even if it was taken meanwhile, or by a link. Throws the system's error, or that of
 * `fill` or `check`.
 * @param of.fill writes the text
 * @param of.check looks at the whole text before the file gets its name; an error refuses it
 */
export async function createFile(
  path: string,
  of: { fill: (file: FileHandle) => Promise<void>; check: (draft: string) => Promise<void> },
): Promise<void> {
  await throughDraft(path, {
    fill: of.fill,
    async publish(draft) {
      await of.check(draft);
      // Unlike a rename, it fails if the name is taken.
      await link(draft, path);
    },
  });
}

async function throughDraft(
  path: string,
  steps: {
    fill: (file: FileHandle) => Promise<void>;
    publish: (draft: string) => Promise<void>;
  },
): Promise<void> {
  const draft = `${path}.${randomUUID()}.partial`;
  const file = await open(draft, "wx", 0o600);
  try {
    try {
      await steps.fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await steps.publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
  // Windows opens no folder, and one may be closed to readers. Its names are then flushed later.
  const folder = await open(dirname(path), "r").catch(() => null);
  await folder?.sync().finally(() => folder.close());
}
