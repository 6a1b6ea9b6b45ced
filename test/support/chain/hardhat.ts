import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../process/free-port.ts";
import { endWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { nodeVerbs, rpcOf } from "./anvil.ts";

const require = createRequire(import.meta.url);

/**
 * Hardhat's own node: another implementation than anvil's. It gives neither receipts of whole
 * blocks nor their traces.
 */
export async function startHardhat() {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-hardhat-"));
  await writeFile(join(folder, "package.json"), "{}");
  const networks = { hardhat: { chainId: 31_337 } };
  await writeFile(
    join(folder, "hardhat.config.js"),
    `module.exports = ${JSON.stringify({ networks })};`,
  );
  const port = await freePort();
  const command = require.resolve("hardhat/internal/cli/bootstrap.js");
  const child = spawn(process.execPath, [command, "node", "--port", String(port)], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      HARDHAT_DISABLE_TELEMETRY_PROMPT: "true",
      // Its command line asks for a local installation, which a folder of its own has not.
      NODE_PATH: join(require.resolve("hardhat/package.json"), "../.."),
    },
    stdio: "ignore",
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const reaped = endWithUs(child.pid ?? 0);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const rpc = rpcOf(rpcUrl);
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    reaped.forget();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(() => rpc<string>("eth_chainId"), { what: "hardhat's node", timeoutMs: 30_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { rpcUrl, rpc, ...nodeVerbs(rpc), stop };
}
