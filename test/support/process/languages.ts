import { spawnSync } from "node:child_process";
import { hasProgram } from "./debian-package.ts";

/** Whether this machine has Go, 1.19 or later. Without it, what needs it is skipped by name. */
export const hasGo = hasProgram("go", ["version"], "golang-go");

/** Whether this machine has Python 3. Without it, what needs it is skipped by name. */
export const hasPython = hasProgram("python3", ["--version"]);

/** Builds a program of one file in Go. Throws what the compiler says. */
export function buildGo(source: string, program: string): void {
  const { status, stderr } = spawnSync("go", ["build", "-o", program, source], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`go build ${source}: ${stderr}`);
}
