import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { type BalanceProof, weakestProof } from "../../domain/chain/block-proof.ts";
import type { BalanceQuestion, BalancesRead } from "../../domain/money/balance.ts";
import { type AssetAddress, nativeAddress } from "../../domain/money/movement.ts";
import type { BalancesHow } from "../../domain/watch/chain-source.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { agreeOnBalances, type Pool, type Verify } from "../agreement/agree-on-balances.ts";
import { createAccessLists } from "./access-lists.ts";
import { createCoinProver } from "./prove-coins.ts";
import { createProvenHeaders, type StateRules } from "./proven-headers.ts";
import { readSymbol } from "./read-symbol.ts";

/**
 * Reads balances after one block, with the best available proof. For the coin that is the state
 * root of the block's header, else the agreement of `needed` hosts. Else it is the answer of one
 * endpoint. With `isWide` the balances are too many for proofs, so none is proved.
 */
export function createBalanceReader(
  ports: { pool: Pool; verify: Verify; clock: Clock; log: Logger },
  rules: StateRules & { needed: number; chainId: number },
) {
  const { needed, chainId } = rules;
  const failing = createFailingTokens(ports.log, chainId);
  const headers = createProvenHeaders(rules);
  const accessLists = createAccessLists({ ...ports, headers }, rules);
  const proveCoins = createCoinProver({ ...ports, headers }, rules);
  let lastProof: BalanceProof | null = null;

  async function read(
    blockHash: Hash,
    questions: readonly BalanceQuestion[],
    { isWide = false, isPatient = false }: BalancesHow,
  ): Promise<BalancesRead> {
    const accounts = questions.flatMap(({ walletAddress, assetAddress }) =>
      assetAddress === nativeAddress && !isWide ? walletAddress : [],
    );
    const coins = await proveCoins(blockHash, accounts);
    const proved = questions.map(({ walletAddress, assetAddress }) =>
      assetAddress === nativeAddress ? (coins.get(walletAddress) ?? null) : null,
    );
    const open = [...questions.keys()].filter((place) => proved[place] === null);
    const amounts = proved.map((amountAtomic) => amountAtomic ?? 0n);
    const proofs: BalanceProof[] = proved.map((one) => (one === null ? "answered" : "state"));
    if (open.length === 0) return { amounts, proofs, disputed: [], reverted: [], silent: [] };
    const asked = questions.filter((_, place) => proved[place] === null);
    const left = await agreeOnBalances({ ...ports, needed }, blockHash, asked, { isPatient });
    for (const [index, place] of open.entries()) {
      amounts[place] = left.amounts[index] ?? 0n;
      proofs[place] = left.proofs[index] ?? "answered";
    }
    const placesOf = (some: readonly number[]) => some.flatMap((index) => open[index] ?? []);
    const [disputed, reverted] = [placesOf(left.disputed), placesOf(left.reverted)];
    return { amounts, proofs, disputed, reverted, silent: left.silent };
  }

  return {
    /**
     * @throws Fault `state_unavailable` if no endpoint has that state any more; `rpc_unavailable`
     */
    async balancesAt(
      blockHash: Hash,
      questions: readonly BalanceQuestion[],
      how: BalancesHow = {},
    ): Promise<BalancesRead> {
      const answer = await read(blockHash, questions, how);
      failing.note(questions, answer);
      // A wide read only finds what differs, and that is read again.
      if (!(how.isWide ?? false)) lastProof = weakestProof(answer.proofs);
      return answer;
    },

    /** See ChainSource. */
    coinSteps: accessLists.balancesIn,

    /** See ChainSource. */
    async tokenSymbol(contract: Address): Promise<string | null> {
      const leader = ports.pool.leader();
      await ports.verify(leader);
      return readSymbol(leader, contract);
    },

    /** See createAccessLists. */
    hasAccessList: accessLists.hasList,

    /** See createProvenHeaders. */
    keepHeader: headers.keep,

    /** The weakest proof of the last read that was not wide; null: there was none. */
    lastProof: () => lastProof,
  };
}

/**
 * Logs a token whose contract fails when asked for balances. Logs it once, until it answers again.
 */
function createFailingTokens(log: Logger, chainId: number) {
  const known = new Set<AssetAddress>();
  return {
    note(
      questions: readonly BalanceQuestion[],
      { reverted }: Pick<BalancesRead, "reverted">,
    ): void {
      if (reverted.length === 0 && known.size === 0) return;
      const failing = new Set(reverted.map((place) => questions[place]?.assetAddress));
      for (const token of new Set(questions.map(({ assetAddress }) => assetAddress))) {
        if (!failing.has(token)) known.delete(token);
        else if (!known.has(token)) {
          known.add(token);
          log.warn({ chainId, token }, "token.fails");
        }
      }
    },
  };
}
