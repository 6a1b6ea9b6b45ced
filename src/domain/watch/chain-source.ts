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
 * The hosts that have answered with traces of a chain's blocks. They are stored with the chain.
 * Such a host counts for as long as it is configured, also after a restart.
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

/** Consecutive blocks, both ends included. */
export type RangeRequest = {
  from: bigint;
  to: bigint;
  /** Null: every block is read whole. */
  watchFilter: WatchFilter | null;
  /** True if several blocks together are small enough for one answer. */
  isLight: boolean;
  /**
   * True if balances are compared later. Then blocks are read without traces if no endpoint gives
   * them any more.
   */
  mayLackTraces: boolean;
};

/** A block with its transactions as the named endpoint answered it. Nothing is proved. */
export type BlockAnswer = { endpoint: string; answer: unknown };

/** An endpoint's head. `block`: present if the whole block was asked for. */
export type HeadAnswer = Position & { block?: BlockAnswer };

/** The block of a tag, and the host that named it. */
export type TaggedBlock = Position & { saidBy: string };

/**
 * A way to read balances. `isWide`: they are too many for single proofs. `isPatient`: waits for
 * hosts that do not have a new block yet, for two seconds. Left out: neither.
 */
export type BalancesHow = { isWide?: boolean; isPatient?: boolean };

/**
 * One chain, read from its endpoints. Every method that returns a promise asks one question, and is
 * safe to repeat. It fails with Fault `rpc_unavailable` or `rpc_inconsistent` if no endpoint gives
 * a good answer.
 */
export type ChainSource = {
  /**
   * Asks again for the chain's identity. With `knownGenesis`, an endpoint with that first block
   * answers. Without it, the first block that most hosts have counts.
   */
  identity: (knownGenesis: Hash | null) => Promise<ChainIdentity>;
  /**
   * The leader's head. An endpoint that falls behind the others does not lead. A block up to the
   * head may be unreadable while other hosts have not reached it. The answer is then the highest
   * block that they have.
   */
  head: () => Promise<HeadAnswer>;
  /**
   * The time for which the head need not be asked for, in ms. With economical reading it is the
   * time until the next block is due, by the times of the last blocks. 0: ask as often as usual.
   */
  quietMs: () => number;
  /**
   * The head that the leader's websocket announced last, as a hint. Null: nothing announces heads
   * now.
   */
  announcedHead: () => Position | null;
  /** The canonical header at a height. */
  header: (number: bigint) => Promise<BlockHeader>;
  /** Successive headers of one endpoint, oldest first. Each is the parent of the next. */
  headers: (from: bigint, to: bigint) => Promise<BlockHeader[]>;
  /**
   * The `count` blocks below one whose hash is known, newest first. Each header is hashed, and the
   * header above it names that hash. Null: this chain's headers cannot be hashed.
   */
  ancestors: (request: { of: Position; count: number }) => Promise<Position[] | null>;
  /** The block that the chain itself calls safe or final; null: it has none. */
  tagged: (tag: ConfirmationTag) => Promise<TaggedBlock | null>;
  /** True if all its endpoints have the same host. */
  isAlone: () => boolean;
  /**
   * The canonical block at a height with all its movements, as far as possible proved to belong
   * together. All of it is from one endpoint.
   */
  loadBlock: (number: bigint) => Promise<LoadedBlock>;
  /**
   * Reads the block after the position. A block that provably does not match `watchFilter` need not
   * be read whole. `watchFilter` null: it is read whole. `answered`: an endpoint's earlier answer
   * for that height, which is not asked for again. If no endpoint gives a traced chain's traces for
   * some time, the block is read without them.
   */
  loadNext: (
    number: bigint,
    watchFilter: WatchFilter | null,
    answered?: BlockAnswer,
  ) => Promise<RangeBlock>;
  /**
   * Reads the block after a position as `loadNext`, if an endpoint has announced it. The head need
   * not be asked for first. Null: it was not announced, or could not be read in this way.
   */
  loadAnnounced: (
    after: Position,
    watchFilter: WatchFilter | null,
  ) => Promise<RangeBlock | null> | null;
  /**
   * Compares what hosts show of wallets' moves of the coin in a block that was read. Asks further
   * hosts for that block until enough show the same for each wallet. Answers a function that gives
   * the verdict on a wallet.
   */
  agreeOnMoves: (
    block: LoadedBlock,
    wallets: readonly Address[],
  ) => Promise<(wallet: Address) => MovesVerdict>;
  /**
   * Reads successive blocks, oldest first. Each is proved like a single block, or provably does not
   * match the filter.
   */
  loadRange: (request: RangeRequest) => Promise<BlockRange>;
  /**
   * Balances in the state after one block, in the order asked, in atomic units, with their proofs.
   * Each is judged by itself: a dispute about one does not affect the others.
   * @throws Fault `state_unavailable` if no endpoint has that state any more
   */
  balancesAt: (
    blockHash: Hash,
    questions: readonly BalanceQuestion[],
    how?: BalancesHow,
  ) => Promise<BalancesRead>;
  /**
   * Each wallet's balances of the coin, one after each place of a block that changed it, in order.
   * They are from the block's access list, which the block's hash covers (EIP-7928). Null: the
   * block has no such list, or no endpoint gives it.
   */
  coinSteps: (blockHash: Hash, wallets: readonly Address[]) => Promise<bigint[][] | null>;
  /**
   * True if a block, as it is read, shows the payments of contracts. It is traced, or logs show
   * every move of the coin.
   */
  showsInternalMoves: (blockHash: Hash) => Promise<boolean>;
  /**
   * True if the movements of the coin in a block must add up to the change of the balances. That is
   * so if the block shows the payments of contracts, and the chain's rules ask for it
   * (`balanceCheck`).
   */
  seesEveryMove: (blockHash: Hash) => Promise<boolean>;
  /**
   * The symbol that a token's contract gives itself at the head, as text for people. Only the
   * leader is asked, since nothing depends on it. Null: the contract gives none.
   */
  tokenSymbol: (contract: Address) => Promise<string | null>;
  /** The way in which the chain is being read, for the operator. */
  status: () => ChainReading;
  /**
   * Calls `wake` when a block is announced. Does nothing if no endpoint is a websocket. Answers a
   * function that stops it, and closes the websockets until the next question.
   */
  onAnnounced: (wake: () => void) => () => void;
  /** Closes open sockets. Questions under way fail at once, and so do later ones. */
  close: () => void;
};
