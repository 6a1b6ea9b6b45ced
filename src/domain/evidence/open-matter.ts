import type { StatementPeriod } from "./statement-period.ts";

/** The kinds of matters that keep a business's period open. */
export const openMatters = {
  period_not_over: { description: "a chain has not confirmed the end of the period" },
  held: { description: "a transaction waits for its proof, or for the word of more hosts" },
  unconfirmed: { description: "a transaction of the period is not confirmed yet" },
  opening_not_read: { description: "the first balance of a wallet was not read yet" },
  chain_not_configured: {
    description: "the business has money on a chain that the configuration does not name",
  },
  chain_unreadable: {
    description:
      "the business has wallets on a chain that cannot be read until somebody mends its configuration or state",
  },
  differs: { description: "the ledger and the chain have different balances" },
  ledger_finding: {
    description:
      "the ledger does not agree with itself; where it names no business, none is closed",
  },
  proof_differs: { description: "a proof contradicts a balance of the attestation" },
  file_changed: { description: "a file of the folder is not as it was written" },
} as const;

export type OpenMatterKind = keyof typeof openMatters;

/** A matter that keeps a business's period open. A field that does not apply is null. */
export type OpenMatter = {
  kind: OpenMatterKind;
  chainName: string | null;
  walletId: string | null;
  assetCode: string | null;
  transactionId: string | null;
  /** The matter in words. */
  what: string;
  /** The values in `what` that no other field has, by their names. */
  values: Readonly<Record<string, string | number>>;
};

/** Asks what keeps a business's period open. */
export type OpenMattersAsked = {
  businessId: string;
  period: StatementPeriod;
  /** The configured chains. */
  chainNames: readonly string[];
};

/** Makes a matter. Fields that are not named are null. */
export function matterOf(
  kind: OpenMatterKind,
  what: string,
  of: Partial<Omit<OpenMatter, "kind" | "what">> = {},
): OpenMatter {
  const nothing = { chainName: null, walletId: null, assetCode: null, transactionId: null };
  return { ...nothing, values: {}, ...of, kind, what };
}

/** A chain has not confirmed the end of a period. */
export function notOver(chainName: string): OpenMatter {
  return matterOf("period_not_over", `${chainName} has not confirmed the end of the period`, {
    chainName,
  });
}

/** The ledger and the chain had different balances at a block. Amounts are decimal texts. */
export function differs(found: {
  chainName: string;
  walletId: string;
  assetCode: string;
  blockNumber: number;
  ledger: string;
  chain: string;
}): OpenMatter {
  const { chainName, walletId, assetCode, blockNumber, ledger, chain } = found;
  return matterOf(
    "differs",
    `at block ${blockNumber} the ledger has ${ledger} ${assetCode}, the chain ${chain}`,
    { chainName, walletId, assetCode, values: { block_number: blockNumber, ledger, chain } },
  );
}
