import { z } from "zod";
import { dataAnswer, idText } from "../../../schema/answers.ts";
import { answers } from "../../answers/answers.ts";
import type { Web } from "../../http/web.ts";
import { noQuery } from "./admin-lists.ts";

const reconciliation = z.object({
  compared: z.int(),
  discrepancies: z.int(),
  differences: z.array(
    z.object({
      blockchain: z.string(),
      wallet_id: idText,
      address: z.string(),
      asset: z.string(),
      block_number: z.int(),
      ledger: z.string(),
      chain: z.string(),
      difference: z.string(),
      outcome: z.enum(["found", "adjusted", "unattributed", "discrepancy", "moved"]),
    }),
  ),
});

export type AdminReconcileDeps = {
  /** Compares ledger and chains, now. */
  reconcile: (input: { walletId?: string }) => Promise<z.output<typeof reconciliation>>;
};

const body = z.strictObject({ wallet_id: z.string("expected an id").optional() }).nullish();

export function adminReconcileRoutes(web: Web, deps: AdminReconcileDeps): void {
  const schema = {
    tags: ["Administration: chains"],
    summary: "Compare the ledger with the chains, and answer when it is done",
    description:
      "Of one wallet, or of all. `found`: reading the blocks again explained it. `adjusted`: an asset that changes by itself. `unattributed`: what contracts paid, on a chain that cannot be traced. `discrepancy`: nothing explains it. `moved`: it changed meanwhile.",
    body,
    querystring: noQuery,
    response: answers({ 200: dataAnswer(reconciliation) }),
  };
  web.post("/reconcile", { schema }, async (request) => {
    const walletId = request.body?.wallet_id;
    const data = await deps.reconcile(walletId === undefined ? {} : { walletId });
    return { success: true as const, data };
  });
}
