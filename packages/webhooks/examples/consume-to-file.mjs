// A store for `consume` in one file: a line for each page, with its notifications and its cursor. A
// line is written whole or not at all, so each event is in the file exactly once.
import { open } from "node:fs/promises";

/**
 * Opens the file, or makes it. Removes a last line that a crash has cut off: Chainbell sends its
 * page again.
 * @param {string} path
 */
export async function storeInFile(path) {
  const file = await open(path, "a+");
  const text = await file.readFile("utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  let bytes = Buffer.byteLength(whole);
  await file.truncate(bytes);
  const ids = new Set();
  /** @type {string | null} */
  let last = null;
  for (const line of whole.split("\n").filter((one) => one !== "")) {
    const { cursor, notifications } = JSON.parse(line);
    for (const { id } of notifications) ids.add(id);
    last = cursor;
  }
  return {
    read: async () => last,
    /** @param {{ notifications: readonly { id: string }[], cursor: string }} page */
    async commit({ notifications, cursor }) {
      const fresh = notifications.filter(({ id }) => !ids.has(id));
      const line = Buffer.from(`${JSON.stringify({ cursor, notifications: fresh })}\n`);
      try {
        await file.appendFile(line);
        await file.sync();
      } catch (error) {
        await file.truncate(bytes);
        throw error;
      }
      bytes += line.length;
      for (const { id } of fresh) ids.add(id);
      last = cursor;
    },
    close: () => file.close(),
  };
}
