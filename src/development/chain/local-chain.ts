import { spawn } from "node:child_process";
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { readRecord, underRunLock } from "../process/run-file.ts";
import {
  type DevelopmentLog,
  openSharedProcess,
  type SharedServer,
} from "../process/shared-process.ts";
import { anvilBinary } from "./anvil-binary.ts";
import { forgetGenesisTime, genesisTimeS } from "./genesis-time.ts";
import { type Settling, settle } from "./settle-chain.ts";

export const LOCAL_CHAIN_ID = 31_337;

/** Its name in run.json. */
const chainName = "chain";
const chainFault = "local_chain_failed" as const;

export type LocalChain = {
  rpcUrl: string;
  chainId: typeof LOCAL_CHAIN_ID;
  /** Also makes blocks while `isAwaited` resolves with true. Does nothing without `settling`. */
  mineWhile: (isAwaited: () => Promise<boolean>) => void;
  /**
   * Stops using the chain. When its last live user does so, the chain writes its state and ends.
   * Safe to repeat.
   */
  close: () => Promise<void>;
};

export type LocalChainOptions = {
  dataDir: string;
  /** True if the chain is stored in the data directory after its last user has left. */
  stateful: boolean;
  /**
   * The way to mine empty blocks after new ones. Then transactions are confirmed although nothing
   * else happens on the chain.
   */
  settling: Settling | undefined;
  log: DevelopmentLog;
};

// A crash of the machine loses at most this much of the chain, in s. A stop writes everything, and
// a crash of this process does not affect the chain.
const STATE_INTERVAL_S = 10;
// The number of states that are stored, to read the past after a restart (balances, traces). Each
// takes up to a megabyte in the file.
const STATES_KEPT = 64;
const ANSWER_TIMEOUT_MS = 2_000;
const UNREADABLE_STATE = /failed to parse json file/;

/**
 * Uses the data directory's anvil, or starts it on a free port of 127.0.0.1. It mines a transaction
 * at once. It is its own process group. Safe for several processes at once.
 * @throws Fault `local_chain_failed` with the end of its log
 */
export async function openLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const dataDir = resolve(options.dataDir);
  const shared = await openSharedProcess(anvilServer(dataDir, options), options.log);
  const rpcUrl = `http://127.0.0.1:${shared.port}`;
  const settling =
    options.settling === undefined ? undefined : settle(rpcUrl, options.settling, options.log);
  return {
    rpcUrl,
    chainId: LOCAL_CHAIN_ID,
    mineWhile: (isAwaited) => settling?.mineWhile(isAwaited),
    close: async () => {
      await settling?.stop();
      await shared.close();
    },
  };
}

/** The URL of the data directory's anvil. Null: none runs. */
export async function findLocalChain(dataDir: string): Promise<string | null> {
  const place = { dataDir: resolve(dataDir), name: chainName, faultCode: chainFault };
  const port = await underRunLock(place, async () => readRecord(place)?.port);
  if (port === undefined || !(await answers(port))) return null;
  return `http://127.0.0.1:${port}`;
}

function anvilServer(dataDir: string, options: LocalChainOptions): SharedServer {
  const binary = anvilBinary();
  const state = join(dataDir, "anvil.json");
  const previous = join(dataDir, "anvil.previous.json");
  const stateArgs = options.stateful
    ? ["--state", state, "--state-interval", String(STATE_INTERVAL_S)]
    : [];
  const nowS = () => Math.floor(Date.now() / 1_000);
  const history = ["--preserve-historical-states", "--prune-history", String(STATES_KEPT)];
  return {
    name: chainName,
    dataDir,
    logFile: join(dataDir, "anvil.log"),
    faultCode: chainFault,
    prepare: async () => {
      if (options.stateful && existsSync(state)) copyFileSync(state, `${previous}.new`);
    },
    spawn: (port, output) => {
      const where = ["--host", "127.0.0.1", "--port", String(port)];
      const genesis = options.stateful
        ? ["--timestamp", String(genesisTimeS(dataDir, nowS()))]
        : [];
      const chain = ["--chain-id", String(LOCAL_CHAIN_ID), ...genesis];
      const args = [...where, ...chain, ...stateArgs, ...history];
      return spawn(binary, [...args, "--silent"], {
        cwd: dataDir,
        detached: true,
        stdio: ["ignore", output, output],
      });
    },
    answers,
    complete: async (port) => {
      // anvil with a given first block's time continues from that time. This sets its time to now.
      if (options.stateful) await ask(port, "evm_setTime", [nowS()]);
      // Keeps a copy of a state that anvil could read, in case it cannot read a later one.
      if (existsSync(`${previous}.new`)) renameSync(`${previous}.new`, previous);
    },
    mayRepeat: (logTail) => {
      if (!UNREADABLE_STATE.test(logTail)) return /Address already in use/.test(logTail);
      const facts = { state, restored: existsSync(previous), keptAs: `${state}.broken` };
      options.log.warn(facts, "chain.state_unreadable");
      rmSync(`${previous}.new`, { force: true });
      renameSync(state, `${state}.broken`);
      if (facts.restored) renameSync(previous, state);
      else forgetGenesisTime(dataDir);
      return true;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await ask(port, "eth_chainId", [])) === `0x${LOCAL_CHAIN_ID.toString(16)}`;
  } catch {
    return false;
  }
}

async function ask(port: number, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const { result } = (await response.json()) as { result?: unknown };
  return result;
}
