import { notifiedTypes } from "../../../src/domain/money/transaction.ts";
import { holdingsSql } from "../../../src/ledger/balances/read-balance.ts";
import {
  assetsSql,
  transactionPageSql,
} from "../../../src/ledger/transactions/read-transactions.ts";
import type { Statement } from "../../process/protocol.ts";

/** What the API is asked for, and the statements that answer it. */
export type ApiRequest = {
  name: "balance" | "first" | "deep" | "filtered";
  title: string;
  variantsOf: (asked: Asked) => Variant[];
};

/**
 * One path, and its statements. Of deep pages there are many in turn: nobody asks for the same one
 * again.
 */
export type Variant = { path: string; statements: Statement[] };

export type Asked = {
  businessId: string;
  /** Rows of a page. */
  limit: number;
  /** Of USDC on every chain. */
  assetIds: number[];
  /** Far down the list: the cursor, and the last transaction before it. */
  deepPages: { cursor: string; afterId: string }[];
};

export const apiRequests: readonly ApiRequest[] = [
  {
    name: "balance",
    title: "GET /balance",
    variantsOf: ({ businessId }) => [
      { path: "/balance", statements: [statementOf(holdingsSql(businessId))] },
    ],
  },
  {
    name: "first",
    title: "GET /transactions, first page",
    variantsOf: (asked) => [{ path: listOf(asked), statements: [pageOf(asked, {})] }],
  },
  {
    name: "deep",
    title: "GET /transactions, 1,000th page",
    variantsOf: (asked) =>
      asked.deepPages.map(({ cursor, afterId }) => ({
        path: `${listOf(asked)}&cursor=${cursor}`,
        statements: [pageOf(asked, { afterId })],
      })),
  },
  {
    name: "filtered",
    title: "GET /transactions, filtered",
    variantsOf: (asked) => {
      const ids = statementOf(assetsSql({ assetCode: "USDC" }));
      const rows = pageOf(asked, { status: "completed", assetIds: asked.assetIds });
      const path = `${listOf(asked)}&asset=USDC&status=completed`;
      return [{ path, statements: [ids, rows] }];
    },
  },
];

const listOf = ({ limit }: Asked) => `/transactions?limit=${limit}`;

function pageOf(
  { businessId, limit }: Asked,
  of: { afterId?: string; status?: "completed"; assetIds?: number[] },
): Statement {
  const { afterId = null, assetIds = null, ...filter } = of;
  const page = { limit, afterId };
  const asked = { businessId, filter: { types: notifiedTypes, ...filter }, page };
  return statementOf(transactionPageSql(asked, { assetIds, walletIds: null }));
}

function statementOf({ text, values }: Statement): Statement {
  return { text, values };
}
