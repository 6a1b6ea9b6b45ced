import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { defineList } from "../define-list.ts";
import { optional, text } from "../parameter.ts";
import { presentWallet, shownWallet } from "./wallet.ts";

type Ledger = {
  readWallets: (filter: { businessId?: string }, page: PageRequest) => Promise<Page<Wallet>>;
};

/**
 * Lists the watched wallets, newest first. On the command line, without a business, lists those of
 * all businesses.
 */
export const walletList = defineList({
  noun: "wallet",
  http: {
    path: "/businesses/:id/wallets",
    summary: "List a business's watched wallets",
    filter: ({ params: { id } }) => ({ businessId: id }),
  },
  cli: {
    name: "list",
    help: "List the watched wallets, newest first.",
    examples: ["wallet list", "wallet list --business 018f… --json"],
    takes: { businessId: optional("--business <id>", text, "of this business alone") },
  },
  check: ({ businessId }: { businessId: string | undefined }) =>
    businessId === undefined ? {} : { businessId: requireId(businessId, "business_not_found") },
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.readWallets(filter, page),
  row: shownWallet,
  present: presentWallet,
});
