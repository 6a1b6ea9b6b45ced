// @ts-check
// Makes a checkout runnable: dependencies, the Prisma client, the compiled sources, the console's pages. Each step runs only when its
// inputs are newer than its result, so that a prepared checkout costs a few milliseconds. All chatter goes to
// standard error: standard output belongs to the command that was asked for.
// JavaScript, as install.mjs, run.mjs and test.mjs are: these run on Node 20 before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { install } from "./install.mjs";
import { copyVendored } from "./vendored.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (/** @type {string[]} */ ...parts) => join(root, ...parts);
const say = (/** @type {string} */ line) => process.stderr.write(`chainbell: ${line}\n`);

/** Installs, generates and compiles what is missing or stale. Safe to repeat; exits the process on a failure. */
export async function prepare() {
  const isStale = () =>
    newest([at("package-lock.json")]) > newest([at("node_modules", ".package-lock.json")]);
  await install({ root, isStale, say });
  const schema = at("prisma", "schema.prisma");
  const generated = at("src", "ledger", "generated");
  if (newest([schema]) > newest([join(generated, "client.ts")])) {
    say("generating the Prisma client");
    // The generator only checks that a schema engine exists and never runs it: naming any file spares a download.
    run(bin("prisma"), ["generate"], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
    });
  }
  compile("dist", "tsconfig.json", ["src", "scripts/vendored.mjs"], () =>
    copyVendored(at("node_modules"), at("dist", "node_modules")),
  );
  // Into dist, which compiling empties: so it comes after, and is made again with it.
  make(join("dist", "console"), ["console", "package-lock.json"], () =>
    run(bin("vite"), ["build", "--config", at("console", "vite.config.ts"), "--logLevel", "warn"]),
  );
}

/**
 * Compiles what development runs beside the daemon into dist-tools: benchmarks, simulation, scripts, and what they use
 * of the tests' support. Run after `prepare`. What they import of src is then a link to dist, so that a benchmark measures
 * the very files that production runs. Safe to repeat; exits the process on a failure.
 */
export function prepareTools() {
  compile("dist-tools", "tsconfig.tools.json", ["src", "test", "bench", "scripts"], () => {
    rmSync(at("dist-tools", "src"), { recursive: true, force: true });
    symlinkSync(join("..", "dist"), at("dist-tools", "src"), "junction");
  });
}

/**
 * Compiles what is stale.
 * @param {string} folder where the result goes
 * @param {string} project the compiler's configuration
 * @param {string[]} sources what the result is made from
 * @param {() => void} complete what is to be done beside compiling
 */
function compile(folder, project, sources, complete) {
  make(folder, [...sources, "tsconfig.json", project, "package-lock.json"], () => {
    run(bin("tsc"), ["-p", project]);
    complete();
  });
}

/**
 * Makes a folder anew where it is stale.
 * @param {string} folder where the result goes
 * @param {string[]} inputs what the result is made from
 * @param {() => void} build
 */
function make(folder, inputs, build) {
  const stamp = at(folder, ".built");
  if (newest(inputs.map((name) => at(name))) <= newest([stamp])) return;
  say(`compiling ${folder}`);
  rmSync(at(folder), { recursive: true, force: true });
  build();
  writeFileSync(stamp, "");
}

function bin(/** @type {string} */ name) {
  return at("node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} env beside that of this process
 */
function run(command, args, env = {}) {
  const shell = process.platform === "win32";
  const result = spawnSync(command, args, {
    cwd: root,
    shell,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  say(`${command} ${args.join(" ")} failed${result.error ? `: ${result.error.message}` : ""}`);
  process.exit(1);
}

/**
 * The latest modification time under the paths, in ms; 0 for what does not exist. Folders count, so a removal shows.
 * @param {string[]} paths
 */
function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    if (!existsSync(path)) continue;
    const stat = statSync(path);
    latest = Math.max(latest, stat.mtimeMs);
    if (stat.isDirectory())
      latest = Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
  }
  return latest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await prepare();
