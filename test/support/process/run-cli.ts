import { rm } from "node:fs/promises";
import { runCommandLine } from "../../../src/bin/cli/command-line.ts";
import { inCheckout } from "../checkout.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { configure, type Deployment } from "./deployment.ts";

/**
 * Runs a command line as its program does, in this process: a program's start alone takes most of a
 * second of CPU time. Standard error names each progress bar.
 */
export async function runVerb(
  args: readonly string[],
  environment: Record<string, string>,
  folder: string = inCheckout(),
) {
  let stdout = "";
  let stderr = "";
  const complain = (text: string) => {
    stderr += text;
  };
  const status = await runCommandLine(args, {
    environment: { ...bareEnvironment(), ...environment },
    folder,
    stdout(text) {
      stdout += text;
    },
    stderr: complain,
    logTo: async () => ({ write: complain }),
    showProgress(title) {
      complain(`${title}\n`);
      return { update() {}, end() {} };
    },
  });
  return { status, stdout, stderr };
}

/**
 * Runs a verb of the command line beside a deployment, with `--json`: what it says on standard
 * output, parsed.
 */
export async function runCli(deployment: Deployment, ...args: string[]) {
  const { folder, environment } = await configure(deployment, 0);
  try {
    const ended = await runVerb([...args, "--json"], environment);
    return { status: ended.status, said: JSON.parse(ended.stdout), stderr: ended.stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
