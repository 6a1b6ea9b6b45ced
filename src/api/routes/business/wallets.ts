import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { listAnswer, listBody } from "../../../schema/answers.ts";
import { addressField, given, pageFields, pageOf, textField } from "../../../schema/fields.ts";
import { presentWalletFields, walletFields } from "../../../schema/wallet.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WalletsDeps = Pick<BusinessLedger, "readWallets">;

const query = z.strictObject({
  blockchain: textField.optional(),
  address: addressField.optional(),
  reference: textField.optional(),
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
    const { blockchain, address, reference } = request.query;
    const filter = given({ chainName: blockchain, address, reference });
    const businessId = businessOf(request);
    const page = await deps.readWallets({ businessId, ...filter }, pageOf(request.query));
    return listBody(page, presentWalletFields);
  });
}
