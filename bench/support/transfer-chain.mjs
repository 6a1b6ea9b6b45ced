// A chain of blocks with 100 ERC-20 transfers each, half of them to 1,000 addresses that are to be watched.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import solc from "solc";
import { encodeDeployData, encodeFunctionData } from "viem/utils";
import { anvilBinary } from "../../dist/development/chain/anvil-binary.js";
import { freePort } from "../../dist/development/process/free-port.js";

const require = createRequire(import.meta.url);
const hex = (value) => `0x${value.toString(16)}`;

const transfersPerBlock = 100;
const addresses = (what) =>
  Array.from({ length: 1_000 }, (_, index) => {
    const digest = createHash("sha256").update(`${what}${index}`).digest("hex");
    return `0x${digest.slice(0, 40)}`;
  });

/** To whom half of the transfers go, in turn; and the other half. */
export const watchedAddresses = addresses("watched");
const otherAddresses = addresses("other");

/**
 * Starts an anvil and fills it. `transactionsPerBlock` is 100, a transfer each, or 1, which makes a hundred transfers.
 * Blocks `first` to `last` hold them; as many empty ones follow as it takes to confirm the last.
 */
export async function startTransferChain({ blocks, transactionsPerBlock }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // Without old states and with its order of arrival it mines as fast as it can; nobody asks for balances.
  const args = ["--no-mining", "--prune-history", "--order", "fifo", "--silent"];
  const anvil = spawn(anvilBinary(), ["--port", String(port), ...args], { stdio: "ignore" });
  const exited = once(anvil, "exit");
  const end = async () => {
    anvil.kill("SIGKILL");
    await exited;
  };
  try {
    const rpc = await answering(url);
    const token = await deployToken(rpc);
    const first = Number(await rpc("eth_blockNumber")) + 1;
    await fill(rpc, { token, blocks, transactionsPerBlock });
    const last = Number(await rpc("eth_blockNumber"));
    await rpc("anvil_mine", hex(8));
    const transfers = blocks * transfersPerBlock;
    return { url, token: token.address, first, last, transfers, watched: transfers / 2, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function answering(url) {
  const rpc = (method, ...params) => post(url, { method, params }).then(resultOf);
  rpc.batch = (calls) => post(url, calls).then((answers) => answers.map(resultOf));
  for (let tries = 0; ; tries += 1) {
    try {
      await rpc("eth_chainId");
      return rpc;
    } catch (error) {
      if (tries > 400) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

async function post(url, calls) {
  const numbered = Array.isArray(calls)
    ? calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }))
    : { jsonrpc: "2.0", id: 1, ...calls };
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(numbered) })).json();
}

function resultOf({ result, error }) {
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** Compiling takes a second or two: once is enough. */
let compiled = null;

async function deployToken(rpc) {
  compiled ??= compileToken();
  const { abi, bytecode } = compiled;
  const holders = await rpc("eth_accounts");
  const data = encodeDeployData({ abi, bytecode, args: [holders] });
  const hash = await rpc("eth_sendTransaction", { from: holders[0], data, gas: hex(5_000_000) });
  await rpc("evm_mine");
  const { contractAddress: address } = await rpc("eth_getTransactionReceipt", hash);
  return { abi, address, holders };
}

function compileToken() {
  const content = readFileSync(new URL("bench-token.sol", import.meta.url), "utf8");
  const outputSelection = { "*": { "*": ["abi", "evm.bytecode.object"] } };
  const input = {
    language: "Solidity",
    sources: { "bench-token.sol": { content } },
    settings: { evmVersion: "paris", optimizer: { enabled: true, runs: 200 }, outputSelection },
  };
  const read = (path) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const { abi, evm } = output.contracts["bench-token.sol"].BenchToken;
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}

async function fill(rpc, { token, blocks, transactionsPerBlock }) {
  const { abi, address: to, holders } = token;
  const nonces = await Promise.all(
    holders.map((one) => rpc("eth_getTransactionCount", one, "latest")),
  );
  const next = nonces.map(Number);
  const gasPrice = hex(10_000_000_000);
  const call = (sender, data, gas) => ({
    method: "eth_sendTransaction",
    params: [
      { from: holders[sender], to, data, gas: hex(gas), gasPrice, nonce: hex(take(sender)) },
    ],
  });
  const take = (sender) => {
    next[sender] += 1;
    return next[sender] - 1;
  };
  for (let block = 0; block < blocks; block += 1) {
    const receivers = receiversIn(block);
    const encode = (functionName, args) => encodeFunctionData({ abi, functionName, args });
    const calls =
      transactionsPerBlock === 1
        ? [call(0, encode("transferMany", [receivers, BigInt(block + 1)]), 10_000_000)]
        : receivers.map((one, index) =>
            call(index % holders.length, encode("transfer", [one, BigInt(block + 1)]), 100_000),
          );
    await rpc.batch(calls);
    await rpc("evm_mine");
  }
}

function receiversIn(block) {
  return Array.from({ length: transfersPerBlock }, (_, index) => {
    const list = index % 2 === 0 ? watchedAddresses : otherAddresses;
    return list[(block * (transfersPerBlock / 2) + (index >> 1)) % list.length];
  });
}
