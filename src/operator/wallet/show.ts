import { z } from "zod";
import type { AsOf, WalletBalancesAt } from "../../domain/evidence/balances-at.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Threshold } from "../../domain/money/threshold.ts";
import { requireFound, requireId } from "../../domain/not-found.ts";
import { type Page, type PageRequest, parsePageRequest } from "../../domain/page.ts";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { presentThreshold, shownThreshold } from "../../schema/threshold.ts";
import { presentWalletBalances, walletBalances } from "../../schema/wallet-balances.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";
import { presentWallet, shownWallet } from "./wallet.ts";

type Ledger = {
  readWallets: (filter: { id: string }, page: PageRequest) => Promise<Page<Wallet>>;
  readWalletBalancesAt: (asked: {
    businessId: string;
    walletId: string;
    at: AsOf;
  }) => Promise<WalletBalancesAt>;
  readThresholds: (walletId: string) => Promise<Threshold[]>;
};

/**
 * Shows one watched wallet of any business, with its thresholds and its balances at the confirmed
 * height.
 * @throws Fault `wallet_not_found`
 */
export const walletShow = defineReading({
  noun: "wallet",
  http: {
    method: "GET",
    path: "/wallets/:id",
    summary: "One watched wallet of any business, with its balances",
    input: ({ params: { id } }) => ({ id }),
  },
  cli: {
    name: "show",
    help: "Show one watched wallet of any business, with its balances.",
    examples: ["wallet show 018f…"],
    takes: { id: argument("<id>", "the id of the wallet") },
  },
  check: ({ id }: { id: string }) => requireId(id, "wallet_not_found"),
  call: async ({ ledger }: { ledger: Ledger }, id) => {
    const { rows } = await ledger.readWallets({ id }, parsePageRequest({ limit: 1 }));
    const wallet = requireFound(rows[0], "wallet_not_found");
    const thresholds = await ledger.readThresholds(wallet.id);
    return { wallet, thresholds, balances: await balancesOf(ledger, wallet) };
  },
  answer: z
    .object({
      ...shownWallet.shape,
      thresholds: z.array(shownThreshold),
      balances: walletBalances.nullable().meta({
        description:
          "The wallet's balances at the confirmed height. Null: the chain has no confirmed block yet.",
      }),
    })
    .meta({ id: "AdminWalletDetail" }),
  present: ({ wallet, thresholds, balances }) => ({
    ...presentWallet(wallet),
    thresholds: thresholds.map(presentThreshold),
    balances: balances === null ? null : presentWalletBalances(balances),
  }),
});

async function balancesOf(ledger: Ledger, wallet: Wallet): Promise<WalletBalancesAt | null> {
  try {
    return await ledger.readWalletBalancesAt({
      businessId: wallet.businessId,
      walletId: wallet.id,
      at: { kind: "confirmed" },
    });
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return null;
    throw error;
  }
}
