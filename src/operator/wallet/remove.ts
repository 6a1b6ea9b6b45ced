import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";

type Ledger = { removeWallet: (walletId: string) => Promise<{ removedAt: Date }> };

/**
 * Ends the watching of a wallet with the next block processed. Safe to repeat: the first time
 * counts. @throws Fault `wallet_not_found`
 */
export const walletRemove = defineChangeOfOne({
  noun: "wallet",
  name: "remove",
  param: "id",
  http: {
    method: "DELETE",
    path: "/wallets/:id",
    summary: "Watch a wallet no longer; its history stays",
  },
  help: "Watch a wallet no longer; its history stays.",
  check: (id) => requireId(id, "wallet_not_found").toLowerCase(),
  call: (ledger: Ledger, id) => ledger.removeWallet(id),
  describe: (_, id) => ({ subject: id, details: {} }),
  answer: z.object({ wallet_id: idText, removed_at: timeText }),
  present: ({ removedAt }, id) => ({ wallet_id: id, removed_at: removedAt.toISOString() }),
});
