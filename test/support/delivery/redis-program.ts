import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inCheckout } from "../checkout.ts";
import { installPackage, mayInstall, runLoud } from "../process/debian-package.ts";

export type RedisProgram = { command: string; env: Record<string, string>; origin: string };

const unpacked = inCheckout("node_modules", ".cache", "chainbell-redis");

/**
 * The redis-server of this machine. Where there is none, Debian's package is installed when we are
 * root, and else unpacked below node_modules. Undefined where neither can be had. Package managers
 * talk on standard error.
 */
export function redisProgram(): RedisProgram | undefined {
  const known = installed() ?? unpackedBefore();
  if (known !== undefined) return known;
  if (spawnSync("apt-get", ["--version"]).status !== 0) return undefined;
  return mayInstall() ? install() : unpack();
}

function installed(): RedisProgram | undefined {
  const found = spawnSync("redis-server", ["--version"]).status === 0;
  return found ? { command: "redis-server", env: {}, origin: "this machine's" } : undefined;
}

function unpackedBefore(): RedisProgram | undefined {
  const command = join(unpacked, "root/usr/bin/redis-server");
  if (!existsSync(command)) return undefined;
  const libraries = join(unpacked, "root/usr/lib");
  const folders = readdirSync(libraries).filter((name) => name.endsWith("-linux-gnu"));
  const paths = folders.map((name) => join(libraries, name)).join(":");
  return { command, env: { LD_LIBRARY_PATH: paths }, origin: "Debian's, unpacked" };
}

function install(): RedisProgram | undefined {
  installPackage("redis-server");
  return installed();
}

// apt works for everyone when its lists and its cache are one's own.
function unpack(): RedisProgram | undefined {
  const lists = join(unpacked, "lists");
  const cache = join(unpacked, "cache");
  const packages = join(unpacked, "packages");
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(cache, "archives/partial"), { recursive: true });
  mkdirSync(packages, { recursive: true });
  const own = [`Dir::State::lists=${lists}`, `Dir::Cache=${cache}`, "Debug::NoLocking=1"];
  const options = own.flatMap((option) => ["-o", option]);
  if (!runLoud("apt-get", [...options, "-qq", "update"])) return undefined;
  const install = [...options, "-s", "install", "--no-install-recommends", "redis-server"];
  const plan = spawnSync("apt-get", install, { encoding: "utf8" });
  const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? "");
  runLoud("apt-get", [...options, "-qq", "download", ...names], packages);
  for (const file of readdirSync(packages)) {
    runLoud("dpkg-deb", ["-x", join(packages, file), join(unpacked, "root")]);
  }
  return unpackedBefore();
}
