import { z } from "zod";
import type { Address } from "../../domain/chain/address.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import type {
  AccountProof,
  AttestedBlock,
  LedgerStatement,
  TokenProof,
} from "../../domain/evidence/attestation.ts";
import { layoutKinds } from "../../domain/evidence/attestation.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { type AssetAddress, nativeAddress } from "../../domain/money/movement.ts";
import {
  addressText,
  count,
  decimalText,
  hashText,
  idText,
  timeText,
} from "../../schema/answers.ts";

/** The findings about one chain. */
export type AttestedChain = {
  block: AttestedBlock;
  statement: LedgerStatement;
  proofs: readonly AccountProof[];
  tokens: readonly TokenProof[];
};

const hexText = z.string().regex(/^0x([0-9a-f]{2})*$/);

const balance = z.object({
  business_id: idText,
  wallet_id: idText,
  address: addressText,
  asset: z.string(),
  /** The token's contract, or `native`. */
  asset_address: z.string(),
  /** The number of digits of `amount_atomic` after the decimal point of `amount`. */
  decimals: count,
  amount: decimalText,
  amount_atomic: z.string().regex(/^-?\d+$/),
  /**
   * `account`: the account's proof below proves the balance. `storage`: the token's proof does.
   * Null: only the ledger says it.
   */
  proof: z.enum(["account", "storage"]).nullable(),
});

export const shownChain = z.object({
  blockchain: z.string(),
  chain_id: count,
  block: z.object({
    number: count,
    hash: hashText,
    time: timeText,
    header_rlp: hexText.nullable(),
  }),
  /** The end of the chain's journal: see docs/evidence.md#seals. */
  seal: z.object({ number: count, hash: z.string() }).nullable(),
  balances: z.array(balance),
  /**
   * The number of balances that the ledger cannot know at that block, because it did not watch the
   * wallet yet.
   */
  unknown: count,
  /** The number of balances that differ from their proof. */
  differing: count,
  accounts: z.array(z.object({ address: addressText, proof: z.array(hexText) })),
  tokens: z.array(
    z.object({
      address: addressText,
      layout: z.object({ kind: z.enum(layoutKinds), place: hexText }),
      proof: z.array(hexText),
      slots: z.array(z.object({ owner: addressText, slot: hexText, proof: z.array(hexText) })),
    }),
  ),
});

/** One chain's part of an attestation. */
export function presentChain(attested: AttestedChain): z.output<typeof shownChain> {
  const { block, statement, proofs, tokens } = attested;
  const shown = shownAmounts(attested);
  const shownOf = ({ address, assetAddress }: Stated) => shown.get(keyOf(address, assetAddress));
  const differing = statement.balances.filter((one) => {
    const amountAtomic = shownOf(one);
    return amountAtomic !== undefined && amountAtomic !== one.amountAtomic;
  });
  return {
    blockchain: statement.chainName,
    chain_id: Number(statement.evmChainId),
    block: {
      number: Number(block.number),
      hash: block.hash,
      time: new Date(block.timeMs).toISOString(),
      header_rlp: block.header?.rlp ?? null,
    },
    seal: statement.head && { number: Number(statement.head.number), hash: statement.head.hash },
    balances: statement.balances.toSorted(inOrder).map((one) => ({
      business_id: one.businessId,
      wallet_id: one.walletId,
      address: toChecksum(one.address),
      asset: one.assetCode,
      asset_address: one.assetAddress,
      decimals: one.assetDecimals,
      amount: toDecimal(one.amountAtomic, one.assetDecimals),
      amount_atomic: one.amountAtomic.toString(),
      proof: shownOf(one) === undefined ? null : proofKindOf(one),
    })),
    unknown: statement.unknown,
    differing: differing.length,
    accounts: proofs.map(({ address, nodes }) => ({
      address: toChecksum(address),
      proof: [...nodes],
    })),
    tokens: tokens.map(presentToken),
  };
}

type Stated = LedgerStatement["balances"][number];

/** The order of the balances. In a strict order, a reader sees that none is listed twice. */
function inOrder(one: Stated, other: Stated): number {
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

/** Sorts by business, wallet and asset. The coin comes first. */
function placeOf({ businessId, walletId, assetAddress }: Stated): string {
  const asset = assetAddress === nativeAddress ? "" : assetAddress;
  return `${businessId}/${walletId}/${asset}`;
}

function proofKindOf({ assetAddress }: Stated): "account" | "storage" {
  return assetAddress === nativeAddress ? "account" : "storage";
}

function presentToken({ token, layout, nodes, slots }: TokenProof) {
  return {
    address: toChecksum(token),
    layout,
    proof: [...nodes],
    slots: slots.map((one) => ({
      owner: toChecksum(one.owner),
      slot: one.slot,
      proof: [...one.nodes],
    })),
  };
}

/** The amounts that the proofs prove, by address and asset. */
function shownAmounts({ proofs, tokens }: AttestedChain): ReadonlyMap<string, bigint> {
  return new Map([
    ...proofs.map(
      ({ address, coinAtomic }) => [keyOf(address, nativeAddress), coinAtomic] as const,
    ),
    ...tokens.flatMap(({ token, slots }) =>
      slots.map(({ owner, amountAtomic }) => [keyOf(owner, token), amountAtomic] as const),
    ),
  ]);
}

function keyOf(address: Address, asset: AssetAddress): string {
  return `${address}/${asset}`;
}
