import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { requireFound, requireId } from "../../../domain/not-found.ts";
import { walletStatuses } from "../../../domain/watch/wallet.ts";
import { dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import { addressField, given, pageFields, pageOf, textField } from "../../../schema/fields.ts";
import { presentWalletFields, walletFields } from "../../../schema/wallet.ts";
import { answersWithData } from "../../answers/answers.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WalletsDeps = Pick<BusinessLedger, "readWallets">;

const query = z.strictObject({
  blockchain: textField.optional(),
  address: addressField.optional(),
  reference: textField.optional(),
  label: textField.optional(),
  status: z.enum(walletStatuses, `expected one of ${walletStatuses.join(", ")}`).optional(),
  q: textField.optional().meta({
    description: "The beginning of the address, the reference or the label, in any case.",
    examples: ["order-"],
  }),
  ...pageFields,
});

const shown = z.object(walletFields).meta({ id: "Wallet" });

export function walletsRoutes(web: Web, deps: WalletsDeps): void {
  const schema = {
    tags: ["Wallets"],
    summary: "List the wallets",
    querystring: query,
    response: { 200: listAnswer(shown) },
  };
  web.get("/wallets", { schema }, async (request) => {
    const { blockchain, address, reference, label, status, q } = request.query;
    const filter = given({ chainName: blockchain, address, reference, label, status, begins: q });
    const businessId = businessOf(request);
    const page = await deps.readWallets({ businessId, ...filter }, pageOf(request.query));
    return listBody(page, presentWalletFields);
  });

  const one = {
    tags: ["Wallets"],
    summary: "One wallet",
    params: z.strictObject({ wallet_id: z.string() }),
    ...answersWithData(shown),
  };
  web.get("/wallets/:wallet_id", { schema: one }, async (request) => {
    const id = requireId(request.params.wallet_id, "wallet_not_found");
    const businessId = businessOf(request);
    const { rows } = await deps.readWallets({ businessId, id }, { limit: 1, afterId: null });
    return dataBody(presentWalletFields(requireFound(rows[0], "wallet_not_found")));
  });
}
