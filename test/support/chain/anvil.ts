import { spawn } from "node:child_process";
import { anvilBinary } from "../../../src/development/chain/anvil-binary.ts";
import { freePort } from "../process/free-port.ts";
import { endWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { postJson } from "./post-json.ts";

export type AnvilOptions = {
  /** A free port when left out. Name it to come back at the same place. */
  port?: number;
  /** The file that keeps the chain over a stop. */
  statePath?: string;
  /** Further arguments, as anvil takes them. */
  args?: string[];
};

type ReorgTransaction = { from: string; to: string; value: bigint };

export type Anvil = Awaited<ReturnType<typeof startAnvil>>;

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 20_000;

/** The funded accounts of every anvil, whose keys it holds: send from them with `send`. */
export const ANVIL_ACCOUNTS = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
  "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
  "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
  "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
  "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
  "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
] as const;

/** A real chain of its own. Whoever starts it stops it. */
export async function startAnvil(options: AnvilOptions) {
  const port = options.port ?? (await freePort());
  const rpcUrl = `http://127.0.0.1:${port}`;
  const child = spawn(anvilBinary(), argumentsFor(options, port), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4_000);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const reaped = endWithUs(child.pid ?? 0);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(late);
    reaped.forget();
  };

  const rpc = rpcOf(rpcUrl);
  try {
    await waitFor(
      async () => (child.exitCode === null ? await rpc<string>("eth_chainId") : "ended"),
      { what: "anvil to answer", timeoutMs: START_TIMEOUT_MS },
    );
    if (child.exitCode !== null) throw new Error(`anvil ended at its start: ${output}`);
  } catch (error) {
    await end("SIGKILL");
    throw error;
  }
  return {
    port,
    rpcUrl,
    wsUrl: `ws://127.0.0.1:${port}`,
    rpc,
    batch: batchOf(rpcUrl),
    ...nodeVerbs(rpc),
    /** Ends it in order: with a state path it writes its state. Safe to repeat. */
    stop: () => end("SIGTERM"),
    /** Ends it as a crash would. */
    kill: () => end("SIGKILL"),
  };
}

type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>;

/** What a development node can be made to do. */
export function nodeVerbs(rpc: Rpc) {
  const hex = (value: bigint | number) => `0x${value.toString(16)}`;
  let isAutomining = true;
  // Anvil answers before it mines: a test that reads the chain at once would find the old head.
  const mined = async (sent: Promise<string>): Promise<string> => {
    const hash = await sent;
    if (isAutomining) await receipt(hash);
    return hash;
  };
  const send = (transaction: Record<string, unknown>): Promise<string> =>
    mined(rpc<string>("eth_sendTransaction", transaction));
  type Receipt = {
    status: string;
    blockNumber: string;
    blockHash: string;
    contractAddress: string | null;
    gasUsed: string;
    effectiveGasPrice: string;
    logs: { address: string; logIndex: string; topics: string[]; data: string }[];
  };
  const receipt = (hash: string) =>
    waitFor(() => rpc<Receipt | null>("eth_getTransactionReceipt", hash), {
      what: `the receipt of ${hash}`,
      timeoutMs: 10_000,
    });
  return {
    /** Mines that many blocks. */
    mine: (blocks: number) => rpc<null>("anvil_mine", hex(blocks)),
    blockNumber: async () => Number(await rpc<string>("eth_blockNumber")),
    block: (at: number | "latest") =>
      rpc<{ hash: string; parentHash: string; number: string; transactions: string[] }>(
        "eth_getBlockByNumber",
        typeof at === "number" ? hex(at) : at,
        false,
      ),
    /**
     * Replaces the last `depth` blocks by as many others, which hold only the given transactions,
     * each at its offset from the first replaced block. While it does so, balances and calls at
     * older blocks are answered with the state of the last one that it replaces: what a test wants
     * of them is read before.
     */
    reorg: (
      depth: number,
      transactions: { transaction: ReorgTransaction; offset: number }[] = [],
    ) =>
      rpc<null>(
        "anvil_reorg",
        depth,
        transactions.map(({ transaction, offset }) => [
          { ...transaction, value: hex(transaction.value) },
          offset,
        ]),
      ),
    /** Takes the last `depth` blocks off and puts nothing in their place. */
    rollback: (depth: number) => rpc<null>("anvil_rollback", depth),
    setBalance: (address: string, amountAtomic: bigint) =>
      rpc<null>("anvil_setBalance", address, hex(amountAtomic)),
    balance: async (address: string, at: number | "latest" = "latest") =>
      BigInt(await rpc<string>("eth_getBalance", address, typeof at === "number" ? hex(at) : at)),
    /**
     * Sends from a funded or impersonated account; answers the hash once it is mined, or at once
     * where only `mine` mines.
     */
    send,
    sendNative: (transfer: { from: string; to: string; amountAtomic: bigint }) =>
      send({ from: transfer.from, to: transfer.to, value: hex(transfer.amountAtomic) }),
    /** As `sendNative`, of a signed transaction. */
    sendRaw: (raw: string) => mined(rpc<string>("eth_sendRawTransaction", raw)),
    impersonate: (address: string) => rpc<null>("anvil_impersonateAccount", address),
    setAutomine: (on: boolean) => {
      isAutomining = on;
      return rpc<null>("evm_setAutomine", on);
    },
    setNextBlockTimestamp: (seconds: number) =>
      rpc<null>("evm_setNextBlockTimestamp", hex(seconds)),
    dropTransaction: (hash: string) => rpc<string | null>("anvil_dropTransaction", hash),
    snapshot: () => rpc<string>("evm_snapshot"),
    revert: (id: string) => rpc<boolean>("evm_revert", id),
    receipt,
  };
}

function argumentsFor(options: AnvilOptions, port: number): string[] {
  return [
    ...["--host", "127.0.0.1", "--port", String(port), "--silent"],
    ...(options.statePath === undefined ? [] : ["--state", options.statePath]),
    ...(options.args ?? []),
  ];
}

/** Calls one endpoint. */
export function rpcOf(url: string): Rpc {
  return <T>(method: string, ...params: unknown[]) => callRpc<T>(url, method, params);
}

async function callRpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  return resultOf<T>(method, await postJson(url, { jsonrpc: "2.0", id: 1, method, params }));
}

/**
 * Calls one endpoint several times in one request; answers the results in the same order, as anvil
 * does.
 */
function batchOf(url: string) {
  return async <T>(calls: readonly { method: string; params: unknown[] }[]): Promise<T[]> => {
    const bodies = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
    const answers = (await postJson(url, bodies)) as unknown[];
    return answers.map((answer, at) => resultOf<T>(calls[at]?.method ?? "", answer));
  };
}

function resultOf<T>(method: string, answer: unknown): T {
  const { result, error } = answer as { result?: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}
