import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { ChainReading } from "../chain/chain-status.ts";
import type { ConfirmationTag } from "../chain/confirmation.ts";
import type { BalanceQuestion, BalancesRead } from "../money/balance.ts";
import type { LoadedBlock } from "../money/movement.ts";
import type { BlockRange, RangeBlock, WatchFilter } from "./watch-filter.ts";

/** Which chain it is: its EIP-155 id and the hash of its first block. */
export type ChainIdentity = { chainId: number; genesisHash: Hash };

/** What endpoints of different hosts are asked of a height. */
export type WitnessQuestion = {
  number: bigint;
  /** An endpoint whose own block of this tag is lower answers with that one. Null: no tag matters. */
  tag: ConfirmationTag | null;
  /** No more are asked once so many have answered for that very height. */
  enough: number;
  /** Whether the leading endpoint is one of them. It is not where it has said already what the others are to judge. */
  isLeaderAsked: boolean;
};

/**
 * The block of an endpoint at a height; where that is lower, its head, or its block of the tag that was asked for.
 * `isTagLower`: it has come as far as that height, and does not call the block there so.
 */
export type Word = { endpoint: string; position: Position; isTagLower: boolean };

/**
 * What endpoints say of a height, at most one of each host. `alone`: the chain has no second host. `asked`: those that
 * answered; `beside`: the one that was leading then; `isWhole`: there is nobody else to ask.
 */
export type Witness =
  | { kind: "alone" }
  | { kind: "asked"; beside: string; words: Word[]; isWhole: boolean };

/** Consecutive blocks, both ends included. */
export type RangeRequest = {
  from: bigint;
  to: bigint;
  /** Null: every block is read whole. */
  watchFilter: WatchFilter | null;
  /** Whether several blocks are light enough for one answer. */
  isLight: boolean;
};

/**
 * One chain, as its endpoints answer for it. Every method that answers later is one question, safe to repeat; it fails with
 * Fault `rpc_unavailable` or `rpc_inconsistent` where no endpoint answers it well.
 */
/** The block of a tag, and the name of the endpoint that calls it so. */
export type TaggedBlock = Position & { saidBy: string };

export type ChainSource = {
  /** Which chain this is, asked anew each time. */
  identity: () => Promise<ChainIdentity>;
  /** The highest block that the leading endpoint knows; an endpoint that falls behind the others does not lead. */
  head: () => Promise<Position>;
  /**
   * How long the head need not be asked for, in ms, where reading is economical: until the next block is due, by the times of
   * the last ones. 0: as often as is usual.
   */
  quietMs: () => number;
  /** The head that the leading endpoint's websocket has announced last: a hint. Null where nothing announces to us now. */
  announcedHead: () => Position | null;
  /** The canonical header of a height. */
  header: (number: bigint) => Promise<BlockHeader>;
  /** Consecutive headers, oldest first, of one endpoint; each is the parent of the next. */
  headers: (from: bigint, to: bigint) => Promise<BlockHeader[]>;
  /**
   * The blocks below one whose hash is known, newest first, so many: each header hashed, and named as its parent by the
   * one above. Null where this chain's headers cannot be hashed.
   */
  ancestors: (request: { of: Position; count: number }) => Promise<Position[] | null>;
  /** The block that the chain itself calls safe or final, or null where it has none. */
  tagged: (tag: ConfirmationTag) => Promise<TaggedBlock | null>;
  /** What endpoints say of a height. Nothing is confirmed or undone by the word of one where there are several. */
  witness: (question: WitnessQuestion) => Promise<Witness>;
  /** Whether all of its endpoints are of one host. */
  isAlone: () => boolean;
  /** How many hosts have to show the same of what no hash covers, where as many can. */
  hostsNeeded: () => number;
  /** The name of the endpoint that blocks are read from now. */
  leading: () => string;
  /** The canonical block of a height: every movement in it, proved to belong together. All of it is of one endpoint. */
  loadBlock: (number: bigint) => Promise<LoadedBlock>;
  /**
   * The same for a block that follows the position, where what is looked for is known: one that is shown to hold nothing
   * of the filter need not be read whole. Null: it is read whole.
   */
  loadNext: (number: bigint, watchFilter: WatchFilter | null) => Promise<RangeBlock>;
  /**
   * The block after a position as `loadNext` reads it, where an endpoint has announced it: its head need not be asked for
   * first. Null: it has not been announced, or could not be read so.
   */
  loadAnnounced: (
    after: Position,
    watchFilter: WatchFilter | null,
  ) => Promise<RangeBlock | null> | null;
  /**
   * A block that has been read, as endpoints of other hosts show it, one host after the other; each is asked when the next
   * one is wanted. Null: one that does not answer with that very block now. Those that do not trace, or have no traces of that
   * block any more, are left out.
   */
  readElsewhere: (block: LoadedBlock) => AsyncIterable<LoadedBlock | null>;
  /** Consecutive blocks, oldest first, each proved as one that is loaded alone, or shown to hold nothing of the filter. */
  loadRange: (request: RangeRequest) => Promise<BlockRange>;
  /**
   * Balances at the state after one block, in the order asked, in atomic units, and what shows them. `isWide`: so many that
   * they are not to be proved one by one.
   * @throws Fault `state_unavailable` where no endpoint has that state any more
   */
  balancesAt: (
    blockHash: Hash,
    questions: readonly BalanceQuestion[],
    how?: { isWide: boolean },
  ) => Promise<BalancesRead>;
  /**
   * What each wallet has of the coin after each place of a block that changed it, in order, as the block's access list says,
   * which its hash covers (EIP-7928). Null: the block has no such list, or no endpoint gives it.
   */
  coinSteps: (blockHash: Hash, wallets: readonly Address[]) => Promise<bigint[][] | null>;
  /** Whether a block as it is read shows what contracts pay: it is traced, or every move of the coin in it is logged. */
  showsInternalMoves: (blockHash: Hash) => Promise<boolean>;
  /** Whether the movements of the coin in a block must add up to the change of the balances: so they do, and it is asked for. */
  seesEveryMove: (blockHash: Hash) => Promise<boolean>;
  /** How the chain is being read, for the operator. */
  status: () => ChainReading;
  /** Calls `wake` when a block is announced; does nothing where no endpoint is a websocket. Returns how to stop it, which lets go of the websockets until the next question. */
  onAnnounced: (wake: () => void) => () => void;
  /** Closes open sockets. */
  close: () => void;
};
