import { readFile } from "node:fs/promises";
import { shippedFile } from "../../runtime/shipped-file.ts";

/** The version of this Chainbell, from package.json. */
export async function readVersion(): Promise<string> {
  const text = await readFile(shippedFile("package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
