import { z } from "zod";
import { toChecksum } from "../domain/chain/checksum.ts";
import type { Wallet } from "../domain/watch/wallet.ts";
import { addressText, idText, timeText } from "./answers.ts";

/** A wallet as its business sees it; an operator sees more. */
export const walletFields = {
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
};

export function presentWalletFields(wallet: Wallet) {
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
  } satisfies z.output<z.ZodObject<typeof walletFields>>;
}
