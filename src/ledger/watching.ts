import { bind } from "./bind.ts";
import {
  markStopped,
  readChainState,
  readHash,
  readPosition,
  readWindow,
  startChain,
} from "./chain-state.ts";
import { commitBlock } from "./commit-block.ts";
import { confirmUpTo } from "./confirm-up-to.ts";
import type { Database } from "./database.ts";
import { releaseLease, takeLease } from "./lease.ts";
import { readDueOpenings, recordOpenings } from "./openings.ts";
import { readWatchlist } from "./read-watchlist.ts";
import { undoBlocks } from "./undo-blocks.ts";

/** What a watcher does with the ledger, bound to one database. */
export function createWatching(db: Database) {
  return {
    readChainState: bind(db, readChainState),
    readPosition: bind(db, readPosition),
    readHash: bind(db, readHash),
    readWindow: bind(db, readWindow),
    readWatchlist: bind(db, readWatchlist),
    startChain: bind(db, startChain),
    markStopped: bind(db, markStopped),
    commitBlock: bind(db, commitBlock),
    confirmUpTo: bind(db, confirmUpTo),
    undoBlocks: bind(db, undoBlocks),
    readDueOpenings: bind(db, readDueOpenings),
    recordOpenings: bind(db, recordOpenings),
    takeLease: bind(db, takeLease),
    releaseLease: bind(db, releaseLease),
  };
}
