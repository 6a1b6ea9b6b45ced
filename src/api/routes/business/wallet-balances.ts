import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { AsOf } from "../../../domain/evidence/balances-at.ts";
import { requireId } from "../../../domain/not-found.ts";
import { dataAnswer, dataBody } from "../../../schema/answers.ts";
import { atField } from "../../../schema/fields.ts";
import { presentWalletBalances, walletBalances } from "../../../schema/wallet-balances.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WalletBalancesDeps = Pick<BusinessLedger, "readWalletBalancesAt">;

export function walletBalancesRoutes(web: Web, deps: WalletBalancesDeps): void {
  const schema = {
    tags: ["Wallets"],
    summary: "What a wallet held at a block",
    description:
      "The balances in the ledger at a confirmed block. `at` is its number, or a moment: then the newest block that the ledger knows of that moment. Without `at`: the confirmed height.",
    params: z.strictObject({ wallet_id: z.string() }),
    querystring: z.strictObject({ at: atField.optional() }),
    response: { 200: dataAnswer(walletBalances) },
  };
  web.get("/wallets/:wallet_id/balances", { schema }, async (request) => {
    const walletId = requireId(request.params.wallet_id, "wallet_not_found");
    const businessId = businessOf(request);
    const at: AsOf = request.query.at ?? { kind: "confirmed" };
    return dataBody(
      presentWalletBalances(await deps.readWalletBalancesAt({ businessId, walletId, at })),
    );
  });
}
