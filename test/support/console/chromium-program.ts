import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";

/** The one without a window comes first: it starts in half the CPU time. */
const packages = ["chromium-headless-shell", "chromium"];
const places = [
  ...packages.map((name) => `/usr/bin/${name}`),
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
// Debian asks this file before it starts a service that it has just installed; 101 says no.
const policy = "/usr/sbin/policy-rc.d";

/**
 * The browser of this machine: CHAINBELL_TEST_CHROMIUM, or one where packages put it. Where there
 * is none and we are root, Debian's is installed. Undefined where it cannot be had. The package
 * manager talks on standard error.
 */
export function chromiumProgram(): string | undefined {
  const known = [process.env["CHAINBELL_TEST_CHROMIUM"] ?? "", ...places].find(existsSync);
  if (known !== undefined) return known;
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0)
    return undefined;
  const isOurs = !existsSync(policy);
  if (isOurs) {
    writeFileSync(policy, "#!/bin/sh\nexit 101\n");
    chmodSync(policy, 0o755);
  }
  try {
    run("update", "-qq");
    packages.some((name) => run("install", "-y", "-qq", "--no-install-recommends", name));
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
  return places.find(existsSync);
}

function run(...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = spawnSync("apt-get", args, { env, encoding: "utf8" });
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  return result.status === 0;
}
