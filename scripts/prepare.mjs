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

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (/** @type {string[]} */ ...parts) => join(root, ...parts);
const say = (/** @type {string} */ line) => process.stderr.write(`chainbell: ${line}\n`);

/**
 * Installs, generates and compiles what is missing or stale. Safe to repeat; exits the process on a
 * failure.
 */
export async function prepare() {
  await installPackages(root, "dependencies");
  const schema = at("prisma", "schema.prisma");
  const generated = at("src", "ledger", "generated");
  if (newest([schema]) > newest([join(generated, "client.ts")])) {
    say("generating the Prisma client");
    run(process.execPath, [at("scripts", "generate.mjs")]);
  }
  compile("dist", "tsconfig.json", ["src"], bundle);
  // Into dist, which compiling replaces: so it comes after, and is made again with it.
  const build = (/** @type {string} */ made) => {
    const config = ["--config", at("console", "vite.config.ts"), "--outDir", made];
    run(bin(root, "vite"), ["build", ...config, "--logLevel", "warn"]);
  };
  const inputs = ["console", join("src", "domain", "csv.ts"), "package-lock.json"];
  make({ root, folder: join("dist", "console"), inputs, build, say });
}

/**
 * Installs what tests and checks need beside the daemon and its demo: test/package.json says what, and test/node_modules
 * is where they find it. Run after `prepare`. Safe to repeat, and beside itself; exits the process on a failure.
 */
export async function installTools() {
  await installPackages(at("test"), "the tools of tests and checks");
}

/** Installs what builds the documents as a site. Safe to repeat; exits the process on a failure. */
export async function installSite() {
  await installPackages(at("site"), "what builds the site of the documents");
}

/** The path of a tool of test/package.json. */
export function toolProgram(/** @type {string} */ name) {
  return bin(at("test"), name);
}

/**
 * Compiles what development runs beside the daemon into dist-tools: benchmarks, simulation, scripts, and what they use
 * of the tests' support. Installs the tools. Run after `prepare`. What they import of src is then a link to dist, so that a
 * benchmark measures the very files that production runs. Safe to repeat; exits the process on a failure.
 */
export async function prepareTools() {
  await installTools();
  compile("dist-tools", "tsconfig.tools.json", ["src", "test", "bench", "scripts"], (made) => {
    rmSync(join(made, "src"), { recursive: true, force: true });
    symlinkSync(join("..", "dist"), join(made, "src"), "junction");
    // What is compiled of the tests finds their packages as they do.
    symlinkSync(join("..", "test", "node_modules"), join(made, "node_modules"), "junction");
  });
}

/**
 * Installs the packages of a folder where its lock file is newer than what is installed.
 * @param {string} folder
 * @param {string} what they are, in words
 */
async function installPackages(folder, what) {
  const isStale = () =>
    newest([join(folder, "package-lock.json")]) >
    newest([join(folder, "node_modules", ".package-lock.json")]);
  await install({ root: folder, what, isStale, say });
}

/**
 * Puts each program together with all that it loads, so that a start opens a few files and not
 * fifteen hundred.
 * @param {string} made the folder that is being compiled
 */
function bundle(made) {
  const config = ["--config", at("scripts", "programs.config.mjs"), "--outDir", join(made, "bin")];
  run(bin(root, "vite"), ["build", ...config, "--logLevel", "warn"]);
}

/**
 * Compiles what is stale, without looking at its types: `npm run check` looks at those of all files, and that takes most
 * of the time.
 * @param {string} folder where the result goes
 * @param {string} project the compiler's configuration
 * @param {string[]} sources what the result is made from
 * @param {(made: string) => void} complete what is to be done beside compiling, in the folder that
 * was made
 */
function compile(folder, project, sources, complete = () => undefined) {
  const inputs = [...sources, "tsconfig.json", project, "package-lock.json"];
  const build = (/** @type {string} */ made) => {
    run(bin(root, "tsc"), ["-p", project, "--noCheck", "--outDir", made]);
    complete(made);
  };
  make({ root, folder, inputs, build, say });
}

/**
 * @param {string} folder that has the package
 * @param {string} name
 */
function bin(folder, name) {
  return join(folder, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const shell = command.endsWith(".cmd");
  const result = spawnSync(command, args, {
    cwd: root,
    shell,
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
