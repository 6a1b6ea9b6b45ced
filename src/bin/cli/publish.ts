import { spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { Fault } from "../../domain/fault.ts";
import { asError } from "../../runtime/as-error.ts";

/** The limit for a webhook, or a program of the operator. */
const timeoutMs = 60_000;

/**
 * Gives a line to the target that the operator names. To an http(s) URL it is POSTed. A program
 * after `exec:` gets it as standard input. Any other target is a file, to which the line is added.
 * @throws Fault `invalid_request` if the target does not accept it
 */
export async function publish(target: string, line: string): Promise<void> {
  try {
    if (/^https?:\/\//i.test(target)) await post(target, line);
    else if (target.startsWith("exec:")) await run(target.slice("exec:".length), line);
    else await appendFile(target, `${line}\n`, { flush: true });
  } catch (error) {
    const message = `The heads were not published: ${asError(error).message}.`;
    throw new Fault("invalid_request", message, { cause: error });
  }
}

async function post(url: string, line: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    body: line,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    headers: { "content-type": "application/json" },
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

/**
 * Runs a program without a shell and without arguments. An operator who needs either uses a script.
 */
function run(program: string, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { stdio: ["pipe", "ignore", "inherit"], timeout: timeoutMs });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`${program} ended with status ${status ?? "none"}`));
    });
    // A program need not read its input. Its exit status decides.
    child.stdin.on("error", () => {});
    child.stdin.end(`${line}\n`);
  });
}
