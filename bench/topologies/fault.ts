import type { Anvil } from "../../test/support/chain/anvil.ts";
import type { Resources } from "../../test/support/resources.ts";

/** The processes of a deployment, by the roles that each has. */
export type Processes = {
  kill: (roles: string) => Promise<unknown>;
  start: (roles: string) => Promise<unknown>;
};

/** What a deployment stands on, and what happens to it. */
export type Ground = {
  databaseUrl: string;
  redisUrl: string | null;
  rpcUrl: string;
  otherRpcUrls: string[];
  /** Of every process, beside what its configuration says. */
  environment: Record<string, string>;
  /** Money waits for the word of an endpoint, as is promised (docs/chains.md): the daemon is ready meanwhile, and says so elsewhere. */
  holds: boolean;
  /** Of each process; one of them has the API. */
  roles: string[];
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
