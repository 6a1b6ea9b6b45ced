import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";

type Ledger = { removeWallet: (walletId: string) => Promise<{ removedAt: Date }> };

/**
 * Ends the watching of a wallet with the next block processed; its history stays. Safe to repeat: the first time counts.
 * @throws Fault `wallet_not_found`
 */
export const walletRemove = defineChange({
  noun: "wallet",
  http: {
    method: "DELETE",
    path: "/wallets/:id",
    summary: "Watch a wallet no longer; its history stays",
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "remove",
    help: "Watch a wallet no longer; its history stays.",
    examples: ["wallet remove 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "wallet_not_found").toLowerCase(),
  call: ({ ledger }: { ledger: Ledger }, id) => ledger.removeWallet(id),
  audit: { action: "wallet.remove", describe: (_, id) => ({ subject: id, details: {} }) },
  answer: z.object({ wallet_id: idText, removed_at: timeText }),
  present: ({ removedAt }, id) => ({ wallet_id: id, removed_at: removedAt.toISOString() }),
});
