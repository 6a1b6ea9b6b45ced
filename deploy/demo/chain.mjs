// The chain of the demo: a block every two seconds. It is kept in its volume, and goes on with
// every start.
import { spawn } from "node:child_process";
import { anvilBinary } from "../../dist/development/chain/anvil-binary.js";
import { genesisTimeS } from "../../dist/development/chain/genesis-time.js";

const folder = "/chain";
const nowS = () => Math.floor(Date.now() / 1_000);
const kept = ["--state", `${folder}/anvil.json`, "--state-interval", "10"];
// Without the time of its first block it makes another one with every start, and which one it then
// serves is chance.
const genesis = ["--timestamp", String(genesisTimeS(folder, nowS()))];
const listening = ["--host", "0.0.0.0", "--block-time", "2"];

const anvil = spawn(anvilBinary(), [...listening, ...kept, ...genesis], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => anvil.kill(signal));
anvil.on("exit", (code) => process.exit(code ?? 1));

// A chain that was given the time of its first block goes on from there: it is brought back to now.
while (!(await isSetTo(nowS()))) await new Promise((resolve) => setTimeout(resolve, 100));

async function isSetTo(timeS) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_setTime", params: [timeS] });
  const headers = { "content-type": "application/json" };
  const asking = fetch("http://127.0.0.1:8545", { method: "POST", headers, body });
  return asking.then(
    (response) => response.ok,
    () => false,
  );
}
