import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The time of the first block of the data directory's chain, in seconds since the epoch. Comes from
 * its file, else from an existing state, else `nowS`, and is stored. Without this time, anvil 1.7.1
 * adds another block 0 each time it starts with a state. Then it is random which of them it serves.
 */
export function genesisTimeS(dataDir: string, nowS: number): number {
  const kept = Number(readText(pathIn(dataDir)) ?? Number.NaN);
  if (Number.isSafeInteger(kept) && kept > 0) return kept;
  const timeS = timeInState(join(dataDir, "anvil.json")) ?? nowS;
  writeFileSync(pathIn(dataDir), `${timeS}\n`, { mode: 0o600 });
  return timeS;
}

/**
 * Deletes the stored time, after the chain's state was lost. The next chain is another one, and
 * must have another first block.
 */
export function forgetGenesisTime(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}

function pathIn(dataDir: string): string {
  return join(dataDir, "anvil.genesis-time");
}

function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

type StateBlock = { header?: { number?: string; timestamp?: string } };

/** For a state from before the time was stored: the time of the first block 0 in it. */
function timeInState(path: string): number | null {
  const text = readText(path);
  if (text === null) return null;
  try {
    const { blocks } = JSON.parse(text) as { blocks?: StateBlock[] };
    const genesis = blocks?.find(({ header }) => Number(header?.number) === 0);
    const timeS = Number(genesis?.header?.timestamp);
    return Number.isSafeInteger(timeS) ? timeS : null;
  } catch {
    // anvil itself reports an unreadable state when it starts.
    return null;
  }
}
