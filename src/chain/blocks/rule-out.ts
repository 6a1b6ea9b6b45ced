import type { Address } from "../../domain/chain/address.ts";
import type { WatchFilter } from "../../domain/watch/watch-filter.ts";
import { movingTopics } from "../decode/decode-logs.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type BloomBits, bloomBits, bloomHasBits } from "../proof/hashing/logs-bloom.ts";
import { proofAt } from "../proof/prove-block.ts";
import { stateSyncHash } from "../proof/state-sync.ts";
import type { RpcBlock, RpcLog } from "../rpc/rpc-block.ts";
import type { LoadRules } from "./asking/load-block.ts";

/**
 * Says what a block shows about the watch filter without its receipts and traces.
 * - `may`: the block must be read whole.
 * - `cannot`: the block holds nothing of the filter.
 * - `ask_logs`: the block holds nothing of the filter unless eth_getLogs finds something.
 */
type Verdict = "may" | "cannot" | "ask_logs";

/**
 * A judge for what is looked for. Those of the same wallets and tokens share what they have hashed.
 */
export type JudgeOf = (watchFilter: WatchFilter) => (block: RpcBlock) => Verdict;

/**
 * Judges blocks that are read without traces. Each is proved by its hash already, as far as the
 * chain can be.
 */
export function createJudges(keccak: Keccak, rules: LoadRules): JudgeOf {
  let known: Sought | null = null;
  const hasOutside = (block: RpcBlock) =>
    rules.profile.outsideRoots !== null &&
    block.transactions.at(-1)?.hash === stateSyncHash(keccak, block);
  return (watchFilter) => {
    const tokens = tokensOf(rules, watchFilter);
    if (known === null || !isOf(known, tokens, watchFilter))
      known = createSought(keccak, tokens, watchFilter);
    const sought = known;
    return (block) => judge(block, { rules, watchFilter, sought, hasOutside });
  };
}

/** Tokens, topics and wallets to look for, with their bits in a bloom. */
type Sought = {
  tokens: readonly Address[];
  wallets: readonly Address[] | null;
  tokenBits: readonly BloomBits[];
  topicBits: readonly BloomBits[];
  /** Null: of so many wallets some would be found in every bloom. */
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
    topicBits: movingTopics.map((topic) => bloomBits(keccak, topic)),
    // A wallet as the topics of a log name it.
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
  /** True if the block shows a transaction that is in none of its roots. */
  hasOutside: (block: RpcBlock) => boolean;
};

function judge(block: RpcBlock, { rules, watchFilter, sought, hasOutside }: Judging): Verdict {
  const { header, transactions, receipts } = proofAt(rules, block);
  const isRoot = receipts === "root" || receipts === "root-op";
  // Where only the receipts' root shows that no transaction was left out, it has to be asked for.
  const isListOpen = isRoot && !transactions;
  if (isListOpen || touchesWallet(block, rules, watchFilter)) return "may";
  // No bloom covers the logs of a state sync.
  if (hasOutside(block)) return "may";
  if (sought.tokens.length === 0) return "cannot";
  // A settled header's bloom is of earlier blocks.
  if (receipts === "none" || receipts === "settled") return "ask_logs";
  const bloom = Buffer.from(block.logsBloom.slice(2), "hex");
  if (mayHold(bloom, sought)) return "may";
  // A bloom that the block's hash covers is proved. Any other bloom is only a claim of the
  // endpoint. Chains that keep no bloom leave it empty. An empty bloom counts only where the
  // profile has been seen to be right.
  const isEmpty = bloom.every((byte) => byte === 0);
  const isKept = !isEmpty || rules.profile.evidence.level !== "assumed";
  return header && isKept ? "cannot" : "ask_logs";
}

/** True if a block with that bloom can hold logs of a token that name a wallet. */
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
  // Aliases whose logs only repeat a move begin to count with Amsterdam. Looking for them earlier
  // costs nothing.
  const ofCoin = isCoinWatched ? aliases.keys() : [];
  return [...new Set([...tokens, ...ofCoin])];
}

/** True if a log names a watched wallet. The parties of a log are its topics after the first. */
export function namesWallet({ topics }: RpcLog, { isWatched }: WatchFilter): boolean {
  return topics.slice(1).some((word) => isWatched(`0x${word.slice(-40)}`));
}

/**
 * Sender, receiver, fee recipient or beneficiary of a withdrawal. A contract that is created has no
 * address to look for yet.
 */
function touchesWallet(block: RpcBlock, rules: LoadRules, watchFilter: WatchFilter): boolean {
  const { isCoinWatched, isWatched } = watchFilter;
  if (!isCoinWatched) return false;
  if (rules.profile.atomicCoin !== null && hasAtomic(block)) return true;
  const { paysFeeRecipient, withdrawals } = rules.profile;
  if (paysFeeRecipient && isWatched(block.miner)) return true;
  if (withdrawals === "native" && block.withdrawals.some(({ address }) => isWatched(address)))
    return true;
  return block.transactions.some(
    ({ from, to, value }) => isWatched(from) || (to === null ? value > 0n : isWatched(to)),
  );
}

/**
 * Avalanche: coin that came from another of its chains, or went there. Rare enough to be read
 * whole.
 */
function hasAtomic({ raw }: RpcBlock): boolean {
  return typeof raw["blockExtraData"] === "string" && raw["blockExtraData"] !== "0x";
}
