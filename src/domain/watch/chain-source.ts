import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { ChainReading } from "../chain/chain-status.ts";
import type { ConfirmationTag } from "../chain/confirmation.ts";
import type { BalanceQuestion, BalancesRead } from "../money/balance.ts";
import type { LoadedBlock } from "../money/movement.ts";
import type { MovesVerdict } from "./agreement.ts";
import type { BlockRange, RangeBlock, WatchFilter } from "./watch-filter.ts";

/** The identity of a chain: its EIP-155 id and the hash of its first block. */
export type ChainIdentity = { chainId: number; genesisHash: Hash };

/**
 * The hosts that have answered with traces of a chain's blocks. They are kept with the chain. A
 * host that has answered once counts for as long as it is configured, after a restart too.
 */
export type TracingHosts = {
  /** @throws Fault `database_unavailable` */
  read: () => Promise<readonly string[]>;
  /**
   * Safe to repeat.
   * @throws Fault `database_unavailable`
   */
  add: (host: string) => Promise<void>;
};

/** The question about a height to endpoints of different hosts. */
export type VoteQuestion = {
  number: bigint;
  /**
   * An endpoint whose own block of this tag is lower answers with that block. Null: no tag matters.
   */
  tag: ConfirmationTag | null;
  /** No more endpoints are asked once this many have answered for that very height. */
  enough: number;
  /**
   * True if the leading endpoint is asked as well. It is not asked if it has already said what the
   * others have to judge.
   */
  isLeaderAsked: boolean;
};

/**
 * The block of a host's endpoint at a height. If the endpoint is lower, `position` is its head, or
 * its block of the tag that was asked for. `isTagLower`: the endpoint has come as far as that
 * height, and does not call the block there so.
 */
export type Vote = { host: string; position: Position; isTagLower: boolean };

/**
 * The votes of endpoints about a height, at most one of each host. `alone`: the chain has no other
 * host. `asked`: the votes are of those that answered. `leaderThen`: the host of the endpoint that
 * was leading then. `isWhole`: nobody else can be asked.
 */
export type Ballot =
  | { kind: "alone" }
  | {
      kind: "asked";
      leaderThen: string;
      votes: Vote[];
      isWhole: boolean;
      otherChain: OtherChain | null;
    };

/**
 * The finding that an endpoint serves another chain under this chain's id. The finding does not say
 * which of them is the chain's own. `stored` is the first block that the others have. `other` is
 * the first block that this endpoint has.
 */
export type OtherChain = { number: 0n; stored: Hash; other: Hash };

/** Consecutive blocks, both ends included. */
export type RangeRequest = {
  from: bigint;
  to: bigint;
  /** Null: every block is read whole. */
  watchFilter: WatchFilter | null;
  /** True if several blocks are light enough for one answer. */
  isLight: boolean;
  /**
   * True if balances are compared later: where no endpoint gives traces any more, the blocks are
   * read without them.
   */
  mayLackTraces: boolean;
};

/** A block with its transactions as the named endpoint answered it. Nothing is proved. */
export type BlockAnswer = { endpoint: string; answer: unknown };

/**
 * The highest block that an endpoint knows. `block` is present if the whole block was asked for.
 */
export type HeadAnswer = Position & { block?: BlockAnswer };

/** The block of a tag, and the host of the endpoint that calls it so. */
export type TaggedBlock = Position & { saidBy: string };

/**
 * One chain, as its endpoints answer for it. Every method that returns a promise asks one question
 * and is safe to repeat. It fails with Fault `rpc_unavailable` or `rpc_inconsistent` if no endpoint
 * answers well.
 */
export type ChainSource = {
  /**
   * Asks anew for the identity of the chain. If the first block is known, an endpoint that has that
   * block answers. If it is not known, the first block that most hosts have counts.
   */
  identity: (knownGenesis: Hash | null) => Promise<ChainIdentity>;
  /**
   * The highest block that the leading endpoint knows. An endpoint that falls behind the others
   * does not lead. Where a block up to that one could not be read, and other hosts have not come as
   * far, it is the highest block that they have come to.
   */
  head: () => Promise<HeadAnswer>;
  /**
   * The time for which the head need not be asked for, in ms. With economical reading, it ends when
   * the next block is due, by the times of the last ones. 0: ask as often as is usual.
   */
  quietMs: () => number;
  /**
   * The head that the leading endpoint's websocket has announced last, as a hint. Null: nothing
   * announces heads now.
   */
  announcedHead: () => Position | null;
  /** The canonical header of a height. */
  header: (number: bigint) => Promise<BlockHeader>;
  /** Consecutive headers of one endpoint, oldest first. Each is the parent of the next. */
  headers: (from: bigint, to: bigint) => Promise<BlockHeader[]>;
  /**
   * The `count` blocks below one whose hash is known, newest first. Each header is hashed, and the
   * header above names that hash as its parent. Null: this chain's headers cannot be hashed.
   */
  ancestors: (request: { of: Position; count: number }) => Promise<Position[] | null>;
  /** The block that the chain itself calls safe or final; null: it has none. */
  tagged: (tag: ConfirmationTag) => Promise<TaggedBlock | null>;
  /**
   * Asks endpoints about a height. On a chain with several endpoints, one endpoint alone confirms
   * and undoes nothing.
   */
  witness: (question: VoteQuestion) => Promise<Ballot>;
  /** True if all of its endpoints are of one host. */
  isAlone: () => boolean;
  /** The host of the endpoint that blocks are read from now. Any question may change it. */
  leadingHost: () => string;
  /**
   * The canonical block of a height, with every movement in it, proved to belong together. One
   * endpoint gives all of it.
   */
  loadBlock: (number: bigint) => Promise<LoadedBlock>;
  /**
   * The same for a block that follows the position, if it is known what to look for. A block that
   * is shown to hold nothing of the filter need not be read whole. `watchFilter` null: the block is
   * read whole. `answered`: an endpoint's answer for that height, which need not be asked for
   * again. Where no endpoint gives the traces of a traced chain for some time, the block is read
   * without them.
   */
  loadNext: (
    number: bigint,
    watchFilter: WatchFilter | null,
    answered?: BlockAnswer,
  ) => Promise<RangeBlock>;
  /**
   * The block after a position, as `loadNext` reads it, if an endpoint has announced it. Its head
   * need not be asked for first. Null: it has not been announced, or could not be read so.
   */
  loadAnnounced: (
    after: Position,
    watchFilter: WatchFilter | null,
  ) => Promise<RangeBlock | null> | null;
  /**
   * Compares what hosts show of the wallets' moves of the coin in a block that has been read. Other
   * hosts are asked for that very block until enough of them show the same for each wallet. Answers
   * with the verdict on any wallet.
   */
  agreeOnMoves: (
    block: LoadedBlock,
    wallets: readonly Address[],
  ) => Promise<(wallet: Address) => MovesVerdict>;
  /**
   * Consecutive blocks, oldest first. Each is proved as a block that is loaded alone, or is shown
   * to hold nothing of the filter.
   */
  loadRange: (request: RangeRequest) => Promise<BlockRange>;
  /**
   * Balances in the state after one block, in the order asked, in atomic units, with their proof.
   * Each is judged by itself: hosts that dispute one of them dispute no other one.
   * `isWide`: they are too many to be proved one by one.
   * @throws Fault `state_unavailable` if no endpoint has that state any more
   */
  balancesAt: (
    blockHash: Hash,
    questions: readonly BalanceQuestion[],
    how?: { isWide: boolean },
  ) => Promise<BalancesRead>;
  /**
   * The coin balances of each wallet, one after each place of a block that changed it, in order.
   * The block's access list says them, and the block's hash covers that list (EIP-7928). Null: the
   * block has no such list, or no endpoint gives it.
   */
  coinSteps: (blockHash: Hash, wallets: readonly Address[]) => Promise<bigint[][] | null>;
  /**
   * True if a block as it is read shows the payments of contracts. It does if it is traced, or if
   * every move of the coin in it is logged.
   */
  showsInternalMoves: (blockHash: Hash) => Promise<boolean>;
  /**
   * True if the movements of the coin in a block must add up to the change of the balances. They
   * must if the block shows the payments of contracts, and the chain's rules ask for the check
   * (`balanceCheck`).
   */
  seesEveryMove: (blockHash: Hash) => Promise<boolean>;
  /**
   * The symbol that a token's contract says of itself at the head, as text for people. The leading
   * endpoint alone is asked: nothing depends on it. Null: the contract says none.
   */
  tokenSymbol: (contract: Address) => Promise<string | null>;
  /** The way in which the chain is being read, for the operator. */
  status: () => ChainReading;
  /**
   * Calls `wake` when a block is announced. Does nothing if no endpoint is a websocket. Returns the
   * function that stops it, which lets go of the websockets until the next question.
   */
  onAnnounced: (wake: () => void) => () => void;
  /** Closes open sockets. */
  close: () => void;
};
