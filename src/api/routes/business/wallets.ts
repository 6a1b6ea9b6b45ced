import { z } from "zod";
import { toChecksum } from "../../../domain/chain/checksum.ts";
import type { Page, PageRequest } from "../../../domain/page.ts";
import type { Wallet } from "../../../domain/watch/wallet.ts";
import { addressText, idText, listAnswer, listBody, timeText } from "../../../schema/answers.ts";
import { addressField, given, pageFields, pageOf, textField } from "../../../schema/fields.ts";
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

const shown = z
  .object({
    wallet_id: idText,
    blockchain: z.string(),
    address: addressText,
    currencies: z.array(z.string()),
    label: z.string().nullable(),
    reference: z.string().nullable(),
    purpose: z.enum(["deposit", "payment"]),
    status: z
      .enum(["syncing", "watched"])
      .meta({ description: "syncing: its opening balance was not read yet." }),
    created_at: timeText,
  })
  .meta({ id: "Wallet" });

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
    return listBody(page, presentWallet);
  });
}

function presentWallet(wallet: Wallet): z.output<typeof shown> {
  return {
    wallet_id: wallet.id,
    blockchain: wallet.chainName,
    address: toChecksum(wallet.address),
    currencies: wallet.currencies,
    label: wallet.label,
    reference: wallet.reference,
    purpose: wallet.purpose,
    status: wallet.status,
    created_at: wallet.createdAt.toISOString(),
  };
}
