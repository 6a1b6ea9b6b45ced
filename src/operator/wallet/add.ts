import { z } from "zod";
import { auditOfAdded } from "../../domain/business/audit-of-added.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import { inSlices, mapSliced } from "../../domain/in-slices.ts";
import { requireId } from "../../domain/not-found.ts";
import type { FieldRule } from "../../domain/text.ts";
import type { NewWallet, Wallet } from "../../domain/watch/wallet.ts";
import { WalletExists } from "../../domain/watch/wallet-conflict.ts";
import { parseWallets, taken } from "../../schema/parse-wallet.ts";
import { type WalletInput, walletBody } from "../../schema/wallet-body.ts";
import { defineCommand } from "../define-command.ts";
import { defineChange } from "../define-verb.ts";
import { block, optional, optionOr, required, text } from "../parameter.ts";
import { presentWallet, shownWallet } from "./wallet.ts";

type Ledger = {
  addWallets: (addition: {
    businessId: string;
    wallets: readonly NewWallet[];
  }) => Promise<Wallet[]>;
};

/** The names of the configured chains. */
type Configured = { chainNames: readonly string[] };

type Input = { businessId: string; wallets: readonly WalletInput[]; isList: boolean };

/** Enough for ten thousand wallets with long labels and references. */
const maxBodyBytes = 16 * 1024 * 1024;

const addWallets = defineChange({
  noun: "wallet",
  http: {
    method: "POST",
    path: "/businesses/:id/wallets",
    summary: "Watch one wallet, or up to 10,000, all or none",
    description: "One wallet as an object answers one; a list under `wallets` answers a list.",
    body: walletBody,
    bodyLimitBytes: maxBodyBytes,
    refuses: ["invalid_address", "unknown_blockchain", "wallet_exists"],
    status: 201,
    input: ({ params, body }) => ({ businessId: params.id, ...body }),
  },
  cli: null,
  check: async ({ businessId, wallets, isList }: Input, { chainNames }: Configured) => ({
    businessId: requireId(businessId, "business_not_found"),
    wallets: await inSlices(parseWallets({ wallets, isList }, chainNames)),
    isList,
  }),
  call: async (ledger: Ledger, { businessId, wallets, isList }) => {
    try {
      return await ledger.addWallets({ businessId, wallets });
    } catch (error) {
      throw withOwners(error, { wallets, isList });
    }
  },
  audit: {
    action: "wallet.add",
    describe: (added, { businessId }) => auditOfAdded(added, businessId),
  },
  answer: z.union([shownWallet, z.array(shownWallet)]),
  present: async (added, { isList }) => {
    const shown = await inSlices(mapSliced(added, presentWallet));
    const [first] = shown;
    return isList || first === undefined ? shown : first;
  },
});

const addOne = defineCommand({
  noun: "wallet",
  name: "add",
  help: "Watch an address for a business, from the next block processed.",
  examples: [
    "wallet add --business 018f… --blockchain ethereum --address 0x…",
    "wallet add --business 018f… --blockchain base --address 0x… --purpose payment --reference order-17",
  ],
  takes: {
    businessId: required("--business <id>", text, "whose wallet it is"),
    blockchain: required("--blockchain <name>", text, "one of the configured chains"),
    address: required(
      "--address <address>",
      text,
      "its address; in mixed case with a right checksum",
    ),
    purpose: optionOr("--purpose <purpose>", text, {
      help: "deposit, or payment for a checkout address",
      standard: "deposit",
    }),
    reference: optional(
      "--reference <reference>",
      text,
      "your own name for it, which each of its notifications repeats",
    ),
    label: optional("--label <label>", text, "a note of its purpose"),
    from_block: optional("--from-block <n>", block, "fill its history in from this block on"),
  },
  run: (
    ports: Parameters<typeof addWallets.perform>[0],
    { businessId, ...wallet }: WalletInput & { businessId: string },
  ) => addWallets.perform(ports, { businessId, wallets: [wallet], isList: false }),
});

/**
 * Watches wallets on configured chains, all of them or none, from the next block processed. If an
 * address is taken, the fault names its owner: the caller is an administrator.
 * @throws Fault `business_not_found`, `invalid_request`, `invalid_address`, `unknown_blockchain`,
 *   `wallet_exists`
 */
export const walletAdd = { ...addWallets, cli: addOne.cli };

/** The id of the business that has the refused wallet. Null: an error of another kind. */
export function ownerIn(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof WalletExists ? (cause.conflicts[0]?.businessId ?? null) : null;
}

/** The most owners that one sentence names. */
const maxNamedOwners = 10;

/** Names the owners of taken addresses, in the sentence and at their places in the request. */
function withOwners(
  error: unknown,
  { wallets, isList }: { wallets: readonly NewWallet[]; isList: boolean },
): unknown {
  const fault = faultIn(error);
  if (!(fault instanceof WalletExists) || fault.conflicts.length === 0) return error;
  const owners = fault.conflicts
    .slice(0, maxNamedOwners)
    .map(
      ({ blockchain, address, businessName, businessId }) =>
        `${toChecksum(address)} on ${blockchain} belongs to '${businessName}' (${businessId})`,
    );
  const places = new Map(
    wallets.map(({ chainName, address }, index) => [`${chainName}/${address}`, index]),
  );
  const details = fault.conflicts.map((conflict): FieldRule => {
    const index = places.get(`${conflict.blockchain}/${conflict.address}`) ?? 0;
    return { field: isList ? `wallets[${index}].address` : "address", ...taken(conflict) };
  });
  return new Fault("wallet_exists", `${fault.message} ${owners.join("; ")}.`, {
    cause: error,
    facts: { ...fault.facts, details },
  });
}
