import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The content that development mode starts with. The data directory stores the key, because the
 * ledger has only its digest.
 */
export type DemoContent = { businessId: string; apiKey: string; wallet: string };

/** Reads what was made in this data directory. Null: nothing yet, or the file is not whole. */
export async function readDemoContent(dataDir: string): Promise<DemoContent | null> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), "utf8"));
  } catch {
    return null;
  }
}

/** Stores the content for the next start and for the verbs. Only the file's owner can read it. */
export async function writeDemoContent(dataDir: string, content: DemoContent): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(pathIn(dataDir), JSON.stringify(content), { mode: 0o600 });
}

function pathIn(dataDir: string): string {
  return join(dataDir, "demo.json");
}
