import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";

// Debian asks this file before it starts a service that it has just installed; 101 says no.
const POLICY = "/usr/sbin/policy-rc.d";

/**
 * Whether this machine has a program that ends well when it is asked with these arguments. Debian's
 * package of it is installed first where it is missing and we are root.
 */
export function hasProgram(program: string, args: string[], packageName = program): boolean {
  const answers = () => spawnSync(program, args).status === 0;
  if (answers()) return true;
  if (mayInstall()) installPackage(packageName);
  return answers();
}

/** Whether this machine has apt, and what it installs stays installed. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
}

/**
 * Installs a package of Debian without starting what it brings. Package managers talk on standard
 * error.
 */
export function installPackage(name: string): void {
  const ours = !existsSync(POLICY);
  if (ours) {
    writeFileSync(POLICY, "#!/bin/sh\nexit 101\n");
    chmodSync(POLICY, 0o755);
  }
  try {
    runLoud("apt-get", ["update", "-qq"]);
    // Another test file may be installing something.
    const patient = ["-o", "DPkg::Lock::Timeout=300"];
    runLoud("apt-get", [...patient, "install", "-y", "-qq", "--no-install-recommends", name]);
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

/** Answers whether it ended well. */
export function runLoud(command: string, args: string[], cwd?: string): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env, encoding: "utf8", ...(cwd === undefined ? {} : { cwd }) } as const;
  const result = spawnSync(command, args, options);
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  return result.status === 0;
}
