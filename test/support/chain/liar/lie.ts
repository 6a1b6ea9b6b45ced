import type { Keccak } from "../../../../src/chain/proof/hashing/keccak.ts";
import type { ReceiptsProof, TracingChoice } from "../../../../src/domain/chain/block-proof.ts";
import type { ConfirmationTag } from "../../../../src/domain/chain/confirmation.ts";
import type { Random } from "../../random.ts";
import type { Misbehaviour, ProxiedCall } from "../rpc-proxy.ts";
import type { Announce } from "../rpc-proxy-sockets.ts";

/** Who and what a lie can be about. Addresses in lower case. */
export type Scene = {
  /** Calls the honest node, past the liar. */
  rpc: <T>(method: string, ...params: unknown[]) => Promise<T>;
  random: Random;
  keccak: Keccak;
  /** Watched: receives coin and tokens. */
  wallet: string;
  /** Watched: has coin and tokens from before, and nothing moves while it is watched. */
  holder: string;
  /** Watched: sends, and pays for what it sends. */
  sender: string;
  /** Watched: a contract that a transaction makes and endows. */
  created: string;
  payer: string;
  stranger: string;
  token: string;
  /** A token that is configured as one that takes a fee. */
  taxed: string;
};

export type JsonObject = Record<string, unknown>;

/** The honest answer; to another question where one is given. */
export type Ask = (call?: Pick<ProxiedCall, "method" | "params">) => Promise<unknown>;

/** How one lie answers a call; everything it does not lie about it asks on. */
export type Teller = (call: ProxiedCall, ask: Ask) => Promise<unknown>;

/**
 * When a lie begins: before the chain is watched, before its wallets are, before money moves, after
 * it was confirmed, before a reorganisation.
 */
export type Moment = "start" | "openings" | "money" | "confirmed" | "reorg";

/** How the daemon reads the chain where the lie is of interest; else by roots and with traces. */
type Reading = {
  receipts?: ReceiptsProof;
  tracing?: TracingChoice;
  tag?: ConfirmationTag;
  /** The daemon has watched for longer than the window of hashes that it keeps. */
  isLong?: boolean;
  /** Blocks are read by ranges, as far behind the head. */
  isByRange?: boolean;
};

export type Lie = {
  tell: (scene: Scene) => Teller;
  from: Moment;
  reading: Reading;
  /** What the other endpoint does meanwhile; it is honest where this is left out. */
  beside?: (scene: Scene) => Teller;
  /** What the liar tells from that moment on; `restarts`: the daemon is started again then. */
  later?: { from: Moment; change: (before: Teller, scene: Scene) => Teller; restarts?: boolean };
  /** Until then the daemon has only the endpoint beside the liar. It is started again with both. */
  joins?: Moment;
  /** A third endpoint is there, and honest. */
  hasThird?: boolean;
  announce?: (scene: Scene) => Announce;
  /** Some calls are never answered: then no call is waited for as long as usual. */
  isSilent?: boolean;
  /** The liar's own socket is asked, not its HTTP. */
  isSocket?: boolean;
};

/** A lie as its file writes it down: what is left out is as usual. */
export function lie(tell: (scene: Scene) => Teller, how: Partial<Omit<Lie, "tell">> = {}): Lie {
  return { from: "money", reading: {}, ...how, tell };
}

/** Thrown by a teller: not an answer but a misbehaviour of the connection, or a refusal. */
export class Misbehaving extends Error {
  readonly how: Exclude<Misbehaviour, null>;
  constructor(how: Exclude<Misbehaviour, null>) {
    super("misbehaving");
    this.how = how;
  }
}

/**
 * Several lies as one: the first of them that lies about a call is given what the others would have
 * said of it.
 */
export function together(tellers: readonly Teller[]): Teller {
  const [first, ...others] = tellers;
  // Of the question that was changed by the one before, where one was.
  if (first === undefined) return (call, ask) => ask(call);
  const rest = together(others);
  return (call, ask) => first(call, (other) => rest({ ...call, ...other }, ask));
}

/** Of many calls some are lied about: one in `count`. */
export function sometimes(random: Random, count: number, teller: Teller): Teller {
  return (call, ask) => (random.isOneIn(count) ? teller(call, ask) : ask());
}
