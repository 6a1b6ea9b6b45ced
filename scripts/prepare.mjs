// @ts-check
// Makes a checkout runnable: dependencies, the Prisma client, the compiled sources, the console's pages. Each step runs only when its
// inputs are newer than its result, so that a prepared checkout costs a few milliseconds. All chatter goes to
// standard error: standard output belongs to the command that was asked for.
// JavaScript, as install.mjs, run.mjs and test.mjs are: these run on Node 20 before anything is installed.
import { spawnSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { install } from "./install.mjs";
import { make, newest } from "./make.mjs";
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
  const libraries = ["scripts/vendored.mjs", "scripts/bundled.mjs"];
  compile("dist", "tsconfig.json", ["src", ...libraries], (made) => {
    copyVendored(at("node_modules"), join(made, "node_modules"));
    run(process.execPath, [at("scripts", "bundled.mjs"), join(made, "node_modules")]);
  });
  // Into dist, which compiling replaces: so it comes after, and is made again with it.
  const build = (/** @type {string} */ made) => {
    const config = ["--config", at("console", "vite.config.ts"), "--outDir", made];
    run(bin("vite"), ["build", ...config, "--logLevel", "warn"]);
  };
  const inputs = ["console", "package-lock.json"];
  make({ root, folder: join("dist", "console"), inputs, build, say });
}

/**
 * Compiles what development runs beside the daemon into dist-tools: benchmarks, simulation, scripts, and what they use
 * of the tests' support. Run after `prepare`. What they import of src is then a link to dist, as are the libraries that are bundled
 * there, so that a benchmark measures the very files that production runs. Safe to repeat; exits the process on a failure.
 */
export function prepareTools() {
  compile("dist-tools", "tsconfig.tools.json", ["src", "test", "bench", "scripts"], (made) => {
    rmSync(join(made, "src"), { recursive: true, force: true });
    symlinkSync(join("..", "dist"), join(made, "src"), "junction");
    // One copy of each library: what a fake node throws is of the class that src looks for.
    symlinkSync(join("..", "dist", "node_modules"), join(made, "node_modules"), "junction");
  });
}

/**
 * Compiles what is stale.
 * @param {string} folder where the result goes
 * @param {string} project the compiler's configuration
 * @param {string[]} sources what the result is made from
 * @param {(made: string) => void} complete what is to be done beside compiling, in the folder that was made
 */
function compile(folder, project, sources, complete) {
  const inputs = [...sources, "tsconfig.json", project, "package-lock.json"];
  const build = (/** @type {string} */ made) => {
    run(bin("tsc"), ["-p", project, "--outDir", made]);
    complete(made);
  };
  make({ root, folder, inputs, build, say });
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
  const shell = command.endsWith(".cmd");
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await prepare();
