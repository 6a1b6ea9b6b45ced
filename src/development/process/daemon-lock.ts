import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../domain/fault.ts";
import { takeLockFile } from "./lock-file.ts";

/**
 * Makes this process the only daemon of the data directory, until it calls `release` or ends.
 * @throws Fault `data_directory_in_use` with the pid, while another daemon runs
 */
export function lockDataDirectory(dataDir: string): { release: () => void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const outcome = takeLockFile(join(dataDir, "daemon.lock"));
  if (outcome.taken) return { release: outcome.release };
  const { pid } = outcome.holder;
  throw new Fault(
    "data_directory_in_use",
    `Another daemon (process ${pid}) already works in ${dataDir}: stop it, or set CHAINBELL_DATA_DIR to another directory.`,
    { facts: { dataDir, pid } },
  );
}
