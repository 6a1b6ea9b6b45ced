import { readFile } from "node:fs/promises";

/** The version of this Chainbell, as package.json beside src/ and dist/ says it. */
export async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
