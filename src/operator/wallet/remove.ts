import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import type { Removal } from "../../domain/watch/wallet.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";

const removal = z
  .object({
    wallet_id: idText,
    status: z.enum(["leaving", "removed"]).meta({
      description:
        "`leaving`: the wallet holds money, or may. It is watched until it is empty or archived.",
    }),
    leaving_at: timeText.nullable(),
    removed_at: timeText.nullable(),
  })
  .meta({ id: "WalletRemoval" });

function present({ leavingAt, removedAt }: Removal, id: string): z.output<typeof removal> {
  return {
    wallet_id: id,
    status: removedAt === null ? "leaving" : "removed",
    leaving_at: leavingAt?.toISOString() ?? null,
    removed_at: removedAt?.toISOString() ?? null,
  };
}

const check = (id: string) => requireId(id, "wallet_not_found").toLowerCase();

/**
 * Stops watching a wallet with the next block processed, or once it is empty. Safe to repeat: the
 * first time is recorded.
 * @throws Fault `wallet_not_found`
 */
export const walletRemove = defineChangeOfOne({
  noun: "wallet",
  name: "remove",
  param: "id",
  http: {
    method: "DELETE",
    path: "/wallets/:id",
    summary: "Remove a wallet; its history stays",
    description:
      "An empty wallet is watched no longer. A wallet with money is `leaving`: it is watched, counted and notified until it is empty. Archiving it, or adding its address for a business, ends that too.",
  },
  help: "Remove a wallet; its history stays. A wallet with money is leaving: it is watched until it is empty.",
  check,
  call: (ledger: { removeWallet: (walletId: string) => Promise<Removal> }, id) =>
    ledger.removeWallet(id),
  describe: ({ removedAt }, id) => ({
    subject: id,
    details: removedAt === null ? { status: "leaving" } : {},
  }),
  answer: removal,
  present,
});

/**
 * Stops watching a wallet with the next block processed, whatever it holds. Safe to repeat.
 * @throws Fault `wallet_not_found`
 */
export const walletArchive = defineChangeOfOne({
  noun: "wallet",
  name: "archive",
  param: "id",
  http: {
    method: "POST",
    path: "/wallets/:id/archive",
    summary: "Watch a wallet no longer, whatever it holds; its history stays",
  },
  help: "Watch a wallet no longer, whatever it holds; its history stays.",
  check,
  call: (ledger: { archiveWallet: (walletId: string) => Promise<Removal> }, id) =>
    ledger.archiveWallet(id),
  describe: (_, id) => ({ subject: id, details: {} }),
  answer: removal,
  present,
});
