import { z } from "zod";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { idText } from "../../schema/answers.ts";
import { presentWalletFields, walletFields } from "../../schema/wallet.ts";

/** A wallet as an operator sees it, with its business. */
export const shownWallet = z
  .object({ ...walletFields, business_id: idText })
  .meta({ id: "AdminWallet" });

export function presentWallet(wallet: Wallet): z.output<typeof shownWallet> {
  const { wallet_id, ...fields } = presentWalletFields(wallet);
  return { wallet_id, business_id: wallet.businessId, ...fields };
}
