import type { Anvil } from "../../test/support/chain/anvil.ts";
import type { Resources } from "../../test/support/resources.ts";

type Token = { code: string; address: string; decimals: number };

/** In what a process differs from the others. */
export type Changes = Partial<Pick<Ground, "databaseUrl" | "tokens" | "environment">>;

/** The processes of a deployment, by the roles that each has. */
export type Processes = {
  /** Rejects with what it wrote where it ends at its start. */
  start: (roles: string, changes?: Changes) => Promise<unknown>;
  stop: (roles: string) => Promise<unknown>;
  kill: (roles: string) => Promise<unknown>;
  running: (roles: string) => { pid: number; url: string };
  /** Runs a verb of the command line beside them. */
  runVerb: (
    changes: Changes,
    ...args: string[]
  ) => Promise<{ status: number | null; stderr: string }>;
};

/** What a deployment stands on, and what happens to it. */
export type Ground = {
  databaseUrl: string;
  redisUrl: string | null;
  rpcUrl: string;
  otherRpcUrls: string[];
  /** What is watched beside the coin. */
  tokens: Token[];
  /** Of every process, beside what its configuration says. */
  environment: Record<string, string>;
  /** The command that each process is started under. */
  under: string[];
  /**
   * Money waits for the word of an endpoint, as is promised (docs/chains.md): the daemon is ready
   * meanwhile, and says so elsewhere.
   */
  holds: boolean;
  /** Of each process; one of them has the API. */
  roles: string[];
  /** Pays the wallet once; the hash of the transaction. */
  pay: () => Promise<string>;
  begin: (processes: Processes) => Promise<unknown>;
  /** Undoes it. What nobody would undo stays. */
  finish: (processes: Processes) => Promise<unknown>;
};

/** Where a fault is played: what it opens ends with it. */
export type World = Pick<Resources, "open" | "onEnd"> & { anvil: Anvil };

/** Something that operators put around Chainbell, or that happens to it. */
export type Fault = {
  about: string;
  /** s after which notifications arrive again, as is promised. */
  resumesWithin?: number;
  open: (world: World) => Promise<Ground>;
};
