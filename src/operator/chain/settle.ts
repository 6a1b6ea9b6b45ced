import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { count, hashText, idText } from "../../schema/answers.ts";
import { idField, txHashField } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optional, required, text } from "../parameter.ts";
import { requireChainName } from "./chain-name.ts";

/** The movements in a block of one wallet (null: of every wallet). */
type Asked = { chainName: string; blockHash: string; walletId: string | null };

type Settled = {
  block: { number: bigint; hash: string };
  transactions: {
    id: string;
    walletId: string;
    assetCode: string;
    amountAtomic: string;
  }[];
  confirmed: number;
  notified: number;
};

type Ledger = { settleHeld: (asked: Asked) => Promise<Settled> };

/**
 * Confirms, on the operator's word alone, the transactions that are held in a block until a proof.
 * They are marked as confirmed alone.
 * @throws Fault `chain_not_found`, `wallet_not_found`; `invalid_request` if nothing is held in that
 *   block
 */
export const chainSettle = defineChange({
  noun: "chain",
  http: {
    method: "POST",
    path: "/chains/:name/settle",
    summary: "Settle what is held in a block, by your word",
    description:
      "Its transactions wait no longer for their proof, and show `confirmed_alone`. Refused where nothing of that block is held; the message names the blocks of which something is.",
    body: z.strictObject({ block_hash: txHashField, wallet_id: idField.optional() }),
    input: ({ params, body }) => ({
      name: params.name,
      blockHash: body.block_hash,
      walletId: body.wallet_id,
    }),
  },
  cli: {
    name: "settle",
    help: "Settle the transactions that are held in a block, by your word. They wait no longer for their proof, and are marked as confirmed alone. Look at the block elsewhere first. A block of which nothing is held is refused: the message names the blocks of which something is.",
    examples: [
      "chain settle ethereum --block-hash 0x88e9…",
      "chain settle ethereum --block-hash 0x88e9… --wallet 018f…",
    ],
    takes: {
      name: argument("<chain>", "one of the configured chains"),
      blockHash: required("--block-hash <hash>", text, "the block in which it is held"),
      walletId: optional("--wallet <id>", text, "of this wallet alone"),
    },
  },
  check: ({
    name,
    blockHash,
    walletId,
  }: {
    name: string;
    blockHash: string;
    walletId?: string | undefined;
  }) => {
    const hash = txHashField.safeParse(blockHash);
    if (!hash.success) throw invalidField("block_hash", "expected 0x and 64 hexadecimal digits");
    return {
      chainName: requireChainName(name),
      blockHash: hash.data,
      walletId:
        walletId === undefined ? null : requireId(walletId, "wallet_not_found").toLowerCase(),
    };
  },
  call: (ledger: Ledger, asked) => ledger.settleHeld(asked),
  audit: {
    action: "chain.settle",
    describe: ({ block, transactions }, { chainName }) => ({
      subject: chainName,
      details: {
        block: Number(block.number),
        hash: block.hash,
        transactions: transactions.map(({ id }) => id),
      },
    }),
  },
  answer: z.object({
    name: z.string(),
    block_number: count,
    block_hash: hashText,
    transactions: z.array(
      z.object({
        id: idText,
        wallet_id: idText,
        asset: z.string(),
        amount: z
          .string()
          .meta({ description: "The amount in atomic units of the asset, an integer." }),
      }),
    ),
    confirmed: count,
    notified: count,
  }),
  present: ({ block, transactions, confirmed, notified }, { chainName }) => ({
    name: chainName,
    block_number: Number(block.number),
    block_hash: block.hash,
    transactions: transactions.map(({ id, walletId, assetCode, amountAtomic }) => ({
      id,
      wallet_id: walletId,
      asset: assetCode,
      amount: amountAtomic,
    })),
    confirmed,
    notified,
  }),
});
