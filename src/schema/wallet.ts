import { z } from "zod";
import { toChecksum } from "../domain/chain/checksum.ts";
import { type Wallet, walletStatuses } from "../domain/watch/wallet.ts";
import { addressText, height, heightOf, idText, timeText } from "./answers.ts";
import { dateField, textField } from "./fields.ts";

/** The filters that a business and an operator have for a list of wallets. */
export const walletFilterFields = {
  blockchain: textField.optional(),
  status: z.enum(walletStatuses, `expected one of ${walletStatuses.join(", ")}`).optional(),
  q: textField.optional().meta({
    description:
      "Only wallets whose reference or label contains this text, or whose address begins with it, in any case.",
    examples: ["order-"],
  }),
  from: dateField.optional().meta({
    description: "Only wallets that were added at this date or time, or later.",
  }),
  to: dateField.optional().meta({
    description: "Only wallets that were added before this date or time.",
  }),
};

/** A wallet as its business sees it. */
export const walletFields = {
  wallet_id: idText,
  blockchain: z.string(),
  address: addressText,
  currencies: z.array(z.string()),
  label: z.string().nullable(),
  reference: z.string().nullable(),
  purpose: z.enum(["deposit", "payment"]),
  status: z.enum(walletStatuses).meta({
    description:
      "`watched`: all its movements are recorded. `syncing`: its opening balance was not read yet. `leaving`: it was removed with money, and is watched until it is empty.",
  }),
  from_block: height.meta({
    description: "The first block of the history that is filled in. Null: none is.",
  }),
  history: z.enum(["filling", "agrees", "differs", "unknown"]).nullable().meta({
    description:
      "`agrees`: the wallet's history, with what was held before it, adds up to the opening balance. Null: the wallet has no history.",
  }),
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
    from_block: heightOf(wallet.fromBlock),
    history: wallet.history,
    created_at: wallet.createdAt.toISOString(),
  } satisfies z.output<z.ZodObject<typeof walletFields>>;
}
