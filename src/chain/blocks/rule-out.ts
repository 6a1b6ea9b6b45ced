import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { WatchFilter } from "../../domain/watch/watch-filter.ts";
import { movingTopics } from "../decode/decode-logs.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { bloomHolds, bloomOf } from "../proof/hashing/logs-bloom.ts";
import { proofAt } from "../proof/prove-block.ts";
import type { RpcBlock, RpcLog } from "../rpc/rpc-block.ts";
import type { LoadRules } from "./asking/load-block.ts";

/**
 * What a block without receipts and traces shows about the watch filter. `may`: it must be read whole. `cannot`:
 * nothing of the filter is in it. `ask_logs`: nothing is in it unless eth_getLogs finds something.
 */
export type Verdict = "may" | "cannot" | "ask_logs";

/**
 * Judges blocks of a chain that is read without traces. Each is proved by its hash already, as far as the chain can
 * be.
 */
export function createJudge(
  keccak: Keccak,
  rules: LoadRules,
  watchFilter: WatchFilter,
): (block: RpcBlock) => Verdict {
  const blooms = tokensOf(rules, watchFilter).flatMap((address) =>
    movingTopics.map((topic) => bloomOf(keccak, [{ address, topics: [topic] }])),
  );
  const wallets =
    watchFilter.fewWallets?.map((wallet) => bloomOf(keccak, [topicOf(wallet)])) ?? null;
  return (block) => {
    const { header, transactions, receipts } = proofAt(rules, block);
    const isRoot = receipts === "root" || receipts === "root-op";
    // Where only the receipts' root shows that no transaction was left out, it has to be asked for.
    const isListOpen = isRoot && !transactions;
    if (isListOpen || touchesWallet(block, rules, watchFilter)) return "may";
    if (blooms.length === 0) return "cannot";
    // A settled header's bloom is of earlier blocks.
    if (receipts === "none" || receipts === "settled") return "ask_logs";
    const bloom = Buffer.from(block.logsBloom.slice(2), "hex");
    // Chains that keep no bloom leave it empty: that says nothing.
    if (bloom.every((byte) => byte === 0)) return "may";
    const holds = (wanted: Uint8Array) => bloomHolds(bloom, wanted);
    if (blooms.some(holds) && (wallets === null || wallets.some(holds))) return "may";
    // A bloom that the block's hash covers is proved; any other is only what the endpoint says.
    return header ? "cannot" : "ask_logs";
  };
}

/** A wallet as the topics of a log name it: what is hashed into a bloom for it. */
function topicOf(wallet: Address): { address: Hash; topics: [] } {
  return { address: `0x${wallet.slice(2).padStart(64, "0")}`, topics: [] };
}

/** Contracts whose logs show movements of watched assets. */
export function tokensOf(
  { aliases }: LoadRules,
  { tokens, isCoinWatched }: WatchFilter,
): Address[] {
  // Those that repeat begin to count with Amsterdam: to look for them before costs nothing.
  const ofCoin = isCoinWatched ? aliases.keys() : [];
  return [...new Set([...tokens, ...ofCoin])];
}

/** Whether a log of those topics names a watched wallet: its parties are its other topics. */
export function namesWallet({ topics }: RpcLog, { isWatched }: WatchFilter): boolean {
  return topics.slice(1).some((word) => isWatched(`0x${word.slice(-40)}`));
}

/**
 * Sender, receiver, fee recipient or beneficiary of a withdrawal. A contract that is created has no address to look
 * for yet.
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

/** Avalanche: coin that came from another of its chains, or went there. Rare enough to be read whole. */
function hasAtomic({ raw }: RpcBlock): boolean {
  return typeof raw["blockExtraData"] === "string" && raw["blockExtraData"] !== "0x";
}
