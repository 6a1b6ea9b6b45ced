import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import type { WatchFilter } from "../../domain/watch/watch-filter.ts";
import { bringingTopics } from "../decode/coin-made.ts";
import { movingTopics } from "../decode/decode-logs.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type BloomBits, bloomBits, bloomHasBits } from "../proof/hashing/logs-bloom.ts";
import { hasUncovered, proofAt } from "../proof/prove-block.ts";
import {
  accountAbstractionBody,
  type RpcBlock,
  type RpcLog,
  type RpcTransaction,
} from "../rpc/rpc-block.ts";
import { readOptionalAddress } from "../rpc/rpc-value.ts";
import type { Tools } from "./asking/assemble.ts";
import type { LoadRules } from "./asking/load-block.ts";

/**
 * The facts that a block shows about the watch filter without its receipts and traces.
 * - `may`: it may match, and must be read whole.
 * - `cannot`: it does not match.
 * - `ask_logs`: it matches only if eth_getLogs finds something.
 */
type Verdict = "may" | "cannot" | "ask_logs";

/**
 * Makes a judge for a watch filter. Filters with the same wallets and tokens share computed hashes.
 */
type JudgeOf = (watchFilter: WatchFilter) => (block: RpcBlock) => Verdict;

/** Needed to rule out blocks, and to prove and decode the others. */
export type JudgingTools = Tools & { judgeOf: JudgeOf };

/**
 * Makes judges of blocks that are read without traces. The caller has proved each block by its
 * hash, as far as possible on the chain.
 */
export function createJudges(keccak: Keccak, rules: LoadRules): JudgeOf {
  let known: Sought | null = null;
  const isUncovered = (block: RpcBlock) => hasUncovered(keccak, rules, block);
  return (watchFilter) => {
    const tokens = tokensOf(rules, watchFilter);
    if (known === null || !isOf(known, tokens, watchFilter))
      known = createSought(keccak, tokens, watchFilter);
    const sought = known;
    return (block) => judge(block, { rules, watchFilter, sought, isUncovered });
  };
}

/** The first topics of all logs that show a movement, of tokens and of the coin. */
export const shownTopics: readonly Hash[] = [...movingTopics, ...bringingTopics];

/** The tokens, topics and wallets of a filter, with their bits in a bloom. */
type Sought = {
  tokens: readonly Address[];
  wallets: readonly Address[] | null;
  tokenBits: readonly BloomBits[];
  topicBits: readonly BloomBits[];
  /** Null: with so many wallets every bloom would match some. */
  walletBits: readonly BloomBits[] | null;
};

function createSought(
  keccak: Keccak,
  tokens: readonly Address[],
  { fewWallets: wallets }: WatchFilter,
): Sought {
  return {
    tokens,
    wallets,
    tokenBits: tokens.map((token) => bloomBits(keccak, token)),
    topicBits: shownTopics.map((topic) => bloomBits(keccak, topic)),
    // A wallet as it appears in a log's topic.
    walletBits:
      wallets?.map((wallet) => bloomBits(keccak, `0x${wallet.slice(2).padStart(64, "0")}`)) ?? null,
  };
}

function isOf(sought: Sought, tokens: readonly Address[], { fewWallets }: WatchFilter): boolean {
  const isSame = tokens.length === sought.tokens.length;
  return (
    isSame && sought.wallets === fewWallets && tokens.every((one, at) => one === sought.tokens[at])
  );
}

type Judging = {
  rules: LoadRules;
  watchFilter: WatchFilter;
  sought: Sought;
  /** True if the block shows a transaction that none of its roots covers. */
  isUncovered: (block: RpcBlock) => boolean;
};

function judge(block: RpcBlock, { rules, watchFilter, sought, isUncovered }: Judging): Verdict {
  const { header, transactions, receipts } = proofAt(rules, block);
  const isRoot = receipts === "root" || receipts === "root-op";
  // If only the receipts' root shows that no transaction was left out, the receipts must be read.
  const isListOpen = isRoot && !transactions;
  if (isListOpen || touchesWallet(block, rules, watchFilter)) return "may";
  // Such a transaction may hide what it moves, and no bloom covers the logs of a state sync.
  if (isUncovered(block)) return "may";
  if (sought.tokens.length === 0) return "cannot";
  // The bloom of a `settled` header is of earlier blocks.
  if (receipts === "none" || receipts === "settled") return "ask_logs";
  const bloom = Buffer.from(block.logsBloom.slice(2), "hex");
  if (mayHold(bloom, sought)) return "may";
  // A bloom that the block's hash covers is proved. Any other is only the endpoint's claim. A chain
  // without blooms leaves them empty. So an empty bloom counts only if the chain's profile was
  // checked.
  const isEmpty = bloom.every((byte) => byte === 0);
  const isKept = !isEmpty || rules.profile.evidence.level !== "assumed";
  return header && isKept ? "cannot" : "ask_logs";
}

/** True if a block with that bloom may have logs of a token that name a wallet. */
function mayHold(bloom: Uint8Array, { tokenBits, topicBits, walletBits }: Sought): boolean {
  const has = (bits: BloomBits) => bloomHasBits(bloom, bits);
  return (
    tokenBits.some(has) && topicBits.some(has) && (walletBits === null || walletBits.some(has))
  );
}

/** Contracts whose logs show movements of watched assets. */
export function tokensOf(
  { aliases }: LoadRules,
  { tokens, isCoinWatched }: WatchFilter,
): Address[] {
  // Aliases whose logs only repeat a move count from Amsterdam on. Searching for them earlier is
  // harmless.
  const ofCoin = isCoinWatched ? aliases.keys() : [];
  return [...new Set([...tokens, ...ofCoin])];
}

/** True if a log names a watched wallet. The parties are the topics after the first. */
export function namesWallet({ topics }: RpcLog, { isWatched }: WatchFilter): boolean {
  return topics.slice(1).some((word) => isWatched(`0x${word.slice(-40)}`));
}

/**
 * True if a watched wallet sends, pays or receives, is the fee recipient, or gets a withdrawal. A
 * contract that is being created has no address yet.
 */
function touchesWallet(block: RpcBlock, rules: LoadRules, watchFilter: WatchFilter): boolean {
  const { isCoinWatched, isWatched } = watchFilter;
  if (!isCoinWatched) return false;
  if (rules.profile.atomicCoin !== null && hasAtomic(block)) return true;
  const { paysFeeRecipient, withdrawals } = rules.profile;
  if (paysFeeRecipient && isWatched(block.miner)) return true;
  if (withdrawals === "native" && block.withdrawals.some(({ address }) => isWatched(address)))
    return true;
  return block.transactions.some((transaction) => {
    const { from, to, value } = transaction;
    if (isWatched(from) || (to === null ? value > 0n : isWatched(to))) return true;
    return transaction.type === txTypes.accountAbstraction && mayPay(transaction, isWatched);
  });
}

/**
 * EIP-8130: true if a watched wallet may pay for the transaction. If another account pays that the
 * transaction leaves open, only the receipt names it.
 */
function mayPay({ raw }: RpcTransaction, isWatched: WatchFilter["isWatched"]): boolean {
  const body = accountAbstractionBody(raw);
  const payer = readOptionalAddress(body["payer"], "payer");
  if (payer !== null) return isWatched(payer);
  const consent = body["payerAuth"] ?? raw["payerAuth"] ?? "0x";
  return consent !== "0x";
}

/**
 * Avalanche: true if coin moved between the chain and another chain of Avalanche. That is rare, so
 * such blocks are read whole.
 */
function hasAtomic({ raw }: RpcBlock): boolean {
  return typeof raw["blockExtraData"] === "string" && raw["blockExtraData"] !== "0x";
}
