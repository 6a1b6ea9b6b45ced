// Shows what an installation for production carries, and that the daemon runs from it: installs as the image does into
// a folder of its own, counts packages and megabytes, starts the daemon there against a PostgreSQL and a chain, and waits
// for a deposit. Fails above the limits. Usage: node scripts/run.mjs production
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANVIL_ACCOUNTS, startAnvil } from "../test/support/chain/anvil.ts";
import { inCheckout } from "../test/support/checkout.ts";
import { copyTestDatabase } from "../test/support/ledger/databases.ts";
import { startTestCluster } from "../test/support/ledger/test-cluster.ts";
import { startDaemonProcess } from "../test/support/process/daemon-process.ts";
import { deploymentOf } from "../test/support/process/deployment.ts";
import { removeWithUs } from "../test/support/process/reaper.ts";
import { seeDeposit } from "../test/support/process/see-deposit.ts";

const maxPackages = 120;
const maxMegabytes = 150;

/** What the image has, beside Node. */
const shipped = ["package.json", "package-lock.json", ".npmrc", "dist", "prisma/migrations"];

const folder = mkdtempSync(join(tmpdir(), "chainbell-production-"));
removeWithUs(folder);
try {
  for (const path of shipped)
    cpSync(inCheckout(path), join(folder, path), { recursive: true, dereference: false });
  install();
  const isSmall = measure();
  await receiveDeposit();
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

/** Whether packages and megabytes are within the limits, those that the build copied into dist included. */
function measure(): boolean {
  const packages = packagesIn(join(folder, "node_modules"));
  const copied = packagesIn(join(folder, "dist", "node_modules"));
  const megabytes = Math.ceil(bytesOf(folder) / 1024 / 1024);
  const count = packages.length + copied.length;
  process.stdout.write(
    `production: ${count} packages (${copied.length} of them in dist), at most ${maxPackages}; ` +
      `${megabytes} MB, at most ${maxMegabytes}\n`,
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

/** What a path takes on the disk, as `du` counts it. */
function bytesOf(path: string): number {
  const { blocks, size } = lstatSync(path);
  // Windows counts no blocks.
  const own = blocks === 0 ? size : blocks * 512;
  if (!lstatSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), own);
}

/** Starts the installed daemon, and waits until it has completed a deposit and shown its documentation. */
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
      environment: { NODE_ENV: "production" },
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
