// Shows what an installation for production carries, and that the daemon runs from it. Installs as
// the image does into a folder of its own, strips it, and counts packages and megabytes. Starts the
// daemon there against a PostgreSQL and a chain, waits for a deposit, and lists the packages that
// it and the command line have loaded. Fails above the limits, and where what is loaded,
// `npm ls --omit=dev` and the bill (scripts/sbom.mjs) do not agree.
// Usage: node scripts/run.mjs production
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ANVIL_ACCOUNTS, startAnvil } from "../test/support/chain/anvil.ts";
import { inCheckout } from "../test/support/checkout.ts";
import { copyTestDatabase } from "../test/support/ledger/databases.ts";
import { startTestCluster } from "../test/support/ledger/test-cluster.ts";
import { startDaemonProcess } from "../test/support/process/daemon-process.ts";
import { deploymentOf } from "../test/support/process/deployment.ts";
import { removeWithUs } from "../test/support/process/reaper.ts";
import { seeDeposit } from "../test/support/process/see-deposit.ts";

const maxPackages = 200;
const maxMegabytes = 50;

/** What the image has, beside Node. */
const shipped = [
  ...["package.json", "package-lock.json", ".npmrc"],
  ...["dist/bin", "dist/console", "prisma/migrations"],
];

/**
 * Only a browser loads these: the console's pages have the first three, and the daemon serves the
 * last.
 */
const inBrowser = ["openapi-fetch", "preact", "uplot", "swagger-ui-dist"];

/** The daemon loads these when it sends an alert by mail, and when somebody signs in. */
const onDemand = ["nodemailer", "openid-client"];

/** The programs are in these, and so are the packages. */
const programs = [join("dist", "bin"), join("dist", "bin", "parts")];

const folder = mkdtempSync(join(tmpdir(), "chainbell-production-"));
/** Where Node writes which files a process has loaded. */
const coverage = join(folder, "coverage");
removeWithUs(folder);
try {
  for (const path of shipped)
    cpSync(inCheckout(path), join(folder, path), { recursive: true, dereference: false });
  install();
  const isSmall = measure();
  await receiveDeposit();
  runWithCoverage("The command line", ["dist/bin/cli.js", "--help"]);
  for (const name of onDemand)
    runWithCoverage(name, ["--input-type=module", "--eval", `await import("./${partOf(name)}")`]);
  compareNames();
  process.exitCode = isSmall ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function install(): void {
  const args = ["ci", "--omit=dev", "--ignore-scripts", "--prefer-offline"];
  const { status } = spawnSync("npm", args, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("npm ci --omit=dev failed.");
}

/** Strips the installation. Returns whether packages and megabytes are within the limits. */
function measure(): boolean {
  const count = packagesIn(join(folder, "node_modules")).length;
  const installed = megabytesOf(folder);
  output(process.execPath, [inCheckout("scripts", "strip.mjs")]);
  const megabytes = megabytesOf(folder);
  process.stdout.write(
    `production: ${count} packages, at most ${maxPackages}; ` +
      `${megabytes} MB, at most ${maxMegabytes}, of the ${installed} MB that npm installs\n`,
  );
  return count <= maxPackages && megabytes <= maxMegabytes;
}

/** The folders of the packages that a node_modules folder holds, those inside others included. */
function packagesIn(modules: string): string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    const path = join(modules, name);
    if (name.startsWith("@")) return packagesIn(path);
    return [path, ...packagesIn(join(path, "node_modules"))];
  });
}

function megabytesOf(path: string): number {
  return Math.ceil(bytesOf(path) / 1024 / 1024);
}

/** What a path takes on the disk, as `du` counts it. */
function bytesOf(path: string): number {
  const { blocks, size } = lstatSync(path);
  // Windows counts no blocks.
  const own = blocks === 0 ? size : blocks * 512;
  if (!lstatSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), own);
}

/**
 * Starts the installed daemon, and waits until it has completed a deposit and shown its
 * documentation.
 */
async function receiveDeposit(): Promise<void> {
  const cluster = await startTestCluster();
  const anvil = await startAnvil({});
  try {
    const database = await copyTestDatabase(cluster.adminUrl);
    const deployment = deploymentOf({
      databaseUrl: database.url,
      redisUrl: null,
      chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1 }],
      receiverPorts: [],
    });
    const daemon = await startDaemonProcess(deployment, {
      program: [join(folder, "dist", "bin", "main.js")],
      environment: {
        NODE_ENV: "production",
        NODE_V8_COVERAGE: coverage,
        // Nobody listens there: it is configured so that the packages are loaded.
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      },
      log: "collected",
      isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
    });
    try {
      const [, wallet] = ANVIL_ACCOUNTS;
      await seeDeposit(daemon, { anvil, wallet, timeoutMs: 60_000 });
      const docs = await fetch(`${daemon.url}/docs/static/swagger-ui-bundle.js`);
      if (!docs.ok) throw new Error(`The documentation answered ${docs.status}.`);
    } finally {
      await daemon.stop();
    }
    process.stdout.write("production: the daemon ran and completed a deposit\n");
  } finally {
    await anvil.stop();
    await cluster.end();
  }
}

/** Runs a program in the installation, so that what it loads is written down. */
function runWithCoverage(what: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${what} failed: ${stderr}`);
}

/** The part of the programs that holds a package and is loaded when it is needed. */
function partOf(name: string): string {
  const begin = `node_modules/${name}/`;
  const holds = (path: string) =>
    readJson(`${join(folder, path)}.map`).sources.some((one: string) => one.includes(begin));
  const parts = programs
    .flatMap((at) => readdirSync(join(folder, at)).map((file) => `${at}/${file}`))
    .filter((path) => path.endsWith(".js") && existsSync(`${join(folder, path)}.map`));
  const part = parts.find(holds);
  if (part === undefined) throw new Error(`No program has ${name}.`);
  return part;
}

/** @throws where one of the lists names a package that another one lacks */
function compareNames(): void {
  const loaded = loadedPackages();
  const listed = new Set(listedPackages());
  const direct: string[] = Object.keys(readJson(join(folder, "package.json")).dependencies);
  const bill: { components: { group?: string; name: string }[] } = JSON.parse(
    output(process.execPath, [inCheckout("scripts", "sbom.mjs")]),
  );
  const billed = new Set(
    bill.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)),
  );
  expectNone(
    "loaded, and not in `npm ls --omit=dev`",
    [...loaded].filter((one) => !listed.has(one)),
  );
  expectNone(
    "in package.json, and loaded by nothing",
    direct.filter((one) => !loaded.has(one) && !inBrowser.includes(one)),
  );
  expectNone(
    "installed, and not in the bill",
    [...listed].filter((one) => !billed.has(one)),
  );
  // Packages of other platforms are in the lock file and so in the bill.
  const optional = optionalPackages();
  expectNone(
    "in the bill, and not installed",
    [...billed].filter((one) => !listed.has(one) && !optional.has(one)),
  );
  const others = [...listed].filter((one) => !loaded.has(one)).sort();
  const reasons = new Map(others.map((one) => [one, reasonOf(one, listed)]));
  expectNone(
    "installed, loaded by nothing, and needed by none that is",
    others.filter((one) => reasons.get(one) === ""),
  );
  const explained = others.map((one) => `${one} (${reasons.get(one)})`);
  process.stdout.write(
    `production: ${loaded.size} of the ${listed.size} packages were loaded: ${[...loaded].sort().join(" ")}\n` +
      `production: ${others.length} were not: ${explained.join(", ")}\n`,
  );
}

/** The reason why a package is installed that no program has loaded; empty where there is none. */
function reasonOf(name: string, listed: ReadonlySet<string>): string {
  if (inBrowser.includes(name)) return "for a browser";
  const owners = [...listed].filter((one) => needsOf(one).includes(name));
  return owners.length === 0 ? "" : `of ${owners.join(" and ")}`;
}

function needsOf(name: string): string[] {
  const path = join(folder, "node_modules", name, "package.json");
  if (!existsSync(path)) return [];
  const { dependencies, optionalDependencies, peerDependencies } = readJson(path);
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function expectNone(what: string, names: readonly string[]): void {
  if (names.length > 0) throw new Error(`Packages ${what}: ${names.join(" ")}`);
}

/**
 * The packages of every file that the processes above have loaded, or that its map says is in it.
 */
function loadedPackages(): Set<string> {
  const urls = readdirSync(coverage).flatMap((name): string[] =>
    readJson(join(coverage, name)).result.map(({ url }: { url: string }) => url),
  );
  const files = urls.filter((url) => url.startsWith("file:"));
  return new Set(
    files.flatMap(withItsSources).flatMap((path) => {
      const name = /^.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      return name === undefined ? [] : [name];
    }),
  );
}

function withItsSources(url: string): string[] {
  const map = `${fileURLToPath(url)}.map`;
  const isBundled = url.includes("/dist/bin/") && existsSync(map);
  return isBundled ? [url, ...readJson(map).sources] : [url];
}

type Listed = { version?: string; dependencies?: Record<string, Listed> };

function listedPackages(): string[] {
  const namesIn = ({ dependencies = {} }: Listed): string[] =>
    Object.entries(dependencies).flatMap(([name, one]) =>
      one.version === undefined ? [] : [name, ...namesIn(one)],
    );
  return namesIn(JSON.parse(output("npm", ["ls", "--omit=dev", "--all", "--json"])));
}

function optionalPackages(): Set<string> {
  const { packages } = readJson(join(folder, "package-lock.json"));
  const paths = Object.keys(packages).filter((path) => packages[path].optional === true);
  return new Set(paths.map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
}

function output(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, "utf8"));
}
