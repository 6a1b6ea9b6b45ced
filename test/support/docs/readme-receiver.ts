import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inCheckout } from "../checkout.ts";

/** Writes the receiver of the README into a folder, and answers the program's path. */
export async function writeReadmeReceiver(folder: string): Promise<string> {
  const readme = await readFile(inCheckout("README.md"), "utf8");
  const [, code = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const program = join(folder, "readme-receiver.mjs");
  await writeFile(program, code);
  return program;
}
