import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { type Wallet, type WalletFilter, walletStatuses } from "../../domain/watch/wallet.ts";
import { given } from "../../schema/fields.ts";
import { walletFilterFields } from "../../schema/wallet.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { moment, oneOf, optional, text } from "../parameter.ts";
import { presentWallet, shownWallet } from "./wallet.ts";

type Ledger = BusinessReader & {
  readWallets: (filter: WalletFilter, page: PageRequest) => Promise<Page<Wallet>>;
};

type Filter = {
  businessId: string | undefined;
  named: string | undefined;
  chainName: string | undefined;
  status: WalletFilter["status"] | undefined;
  from: Date | undefined;
  to: Date | undefined;
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
    query: walletFilterFields,
    filter: ({ params: { id }, query }) => ({
      businessId: id,
      named: query.q,
      chainName: query.blockchain,
      status: query.status,
      from: query.from,
      to: query.to,
    }),
  },
  cli: {
    name: "list",
    help: "List the watched wallets, newest first.",
    examples: [
      "wallet list",
      "wallet list --business 018f… --json",
      "wallet list --business 018f… --named order-17",
    ],
    takes: {
      businessId: optional("--business <id>", text, "of this business alone"),
      named: optional(
        "--named <text>",
        text,
        "with this text in their reference or label, or at the beginning of their address",
      ),
      chainName: optional("--blockchain <name>", text, "of this chain alone"),
      status: optional(
        "--status <word>",
        oneOf(walletStatuses),
        `with this status: ${walletStatuses.join(", ")}`,
      ),
      from: optional("--from <time>", moment, "added at that time or later"),
      to: optional("--to <time>", moment, "added before that time"),
    },
  },
  check: ({ businessId, ...filter }: Filter): WalletFilter =>
    given({
      ...filter,
      businessId:
        businessId === undefined ? undefined : requireId(businessId, "business_not_found"),
    }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) =>
    pageOfBusiness(ledger, filter.businessId, ledger.readWallets(filter, page)),
  row: shownWallet,
  present: presentWallet,
});
