import { rm } from "node:fs/promises";
import { runProgram } from "./daemon.ts";
import { configure, type Deployment } from "./deployment.ts";

/**
 * Runs a verb of the command line beside a deployment, with `--json`: what it says on standard
 * output, parsed.
 */
export async function runCli(deployment: Deployment, ...args: string[]) {
  const { folder, environment } = await configure(deployment, 0);
  try {
    const ended = await runProgram("cli", [...args, "--json"], environment);
    return { status: ended.status, said: JSON.parse(ended.stdout), stderr: ended.stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
