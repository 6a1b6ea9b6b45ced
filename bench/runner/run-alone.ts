import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endWithUs } from "../../test/support/process/reaper.ts";
import type { Build } from "../process/build.ts";
import type { NamedLine } from "./line.ts";

/** What one.ts is given. */
export type Alone = { name: string; quick: boolean; against: Build | null };

/**
 * Runs one benchmark in a process of its own, whose heap nothing else has used. Answers its lines,
 * or null where it failed. What it has started ends with it, however it ends.
 */
export async function runAlone(given: Alone): Promise<NamedLine[] | null> {
  const program = fileURLToPath(new URL("../one.js", import.meta.url));
  const child = fork(program, [JSON.stringify(given)], { execArgv: ["--expose-gc"] });
  const reaped = endWithUs(child.pid ?? 0);
  let lines: NamedLine[] | null = null;
  child.on("message", (sent) => {
    lines = sent as NamedLine[];
  });
  const [code] = await once(child, "exit");
  reaped.forget();
  return code === 0 ? lines : null;
}
