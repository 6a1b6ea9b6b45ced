// A local chain of a benchmark's own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { anvilBinary } from "../../dist/development/chain/anvil-binary.js";
import { freePort } from "../../dist/development/process/free-port.js";

/** Mines every `blockTimeS` seconds, or where that is null only when it is told to. Resolves when it answers. */
export async function startAnvil({ blockTimeS, args = [] }) {
  const port = await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const mining = blockTimeS === null ? ["--no-mining"] : ["--block-time", String(blockTimeS)];
  const given = ["--port", String(port), ...mining, "--silent", ...args];
  const child = spawn(anvilBinary(), given, { stdio: "ignore" });
  const stop = async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  /** One or more questions in one request; answers their results. */
  const batch = async (questions) => {
    const body = questions.map(([method, ...params], id) => ({
      ...{ jsonrpc: "2.0", id, method, params },
    }));
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()).map(({ result, error }) => {
      if (error !== undefined) throw new Error(error.message);
      return result;
    });
  };
  const giveUpAtMs = Date.now() + 20_000;
  while ((await batch([["eth_chainId"]]).catch(() => null)) === null) {
    if (Date.now() > giveUpAtMs) {
      await stop();
      throw new Error("anvil did not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { rpcUrl, wsUrl: `ws://127.0.0.1:${port}`, batch, stop };
}
