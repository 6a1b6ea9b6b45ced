import { z } from "zod";
import type { Page, PageRequest } from "../../../domain/page.ts";
import type { Wallet } from "../../../domain/watch/wallet.ts";
import { listAnswer, listBody } from "../../../schema/answers.ts";
import { addressField, given, pageFields, pageOf, textField } from "../../../schema/fields.ts";
import { presentWalletFields, walletFields } from "../../../schema/wallet.ts";
import { answers } from "../../answers/answers.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

type WalletFilter = {
  businessId: string;
  chainName?: string;
  address?: Wallet["address"];
  reference?: string;
};

export type WalletsDeps = {
  readWallets: (filter: WalletFilter, page: PageRequest) => Promise<Page<Wallet>>;
};

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
    response: answers({ 200: listAnswer(shown) }),
  };
  web.get("/wallets", { schema }, async (request) => {
    const { blockchain, address, reference } = request.query;
    const filter = given({ chainName: blockchain, address, reference });
    const businessId = businessOf(request);
    const page = await deps.readWallets({ businessId, ...filter }, pageOf(request.query));
    return listBody(page, presentWalletFields);
  });
}
