import type { Address } from "../../../domain/chain/address.ts";
import type { ChainProfile } from "../../../domain/chain/profile.ts";
import { isPrepaid, txTypes } from "../../../domain/chain/tx-types.ts";
import { type Movement, nativeAddress } from "../../../domain/money/movement.ts";
import {
  accountAbstractionBody,
  type RpcReceipt,
  type RpcTransaction,
} from "../../rpc/rpc-block.ts";
import { readOptionalAddress } from "../../rpc/rpc-value.ts";
import { type CoinMove, feePaid } from "./movement-makers.ts";

/** Tempo's fee manager. A Transfer to it is the fee of a transaction. */
const tempoFeeManager: Address = "0xfeec000000000000000000000000000000000000";

/**
 * zkSync's bootloader. Fees are transfers of the coin to it, and it pays back what was too much.
 */
const bootloader: Address = "0x0000000000000000000000000000000000008001";

/**
 * Celo's adapters for tokens without 18 decimals. The fee is computed in 18 decimals and taken in
 * the token's own (docs.celo.org, fee currencies).
 */
const celoAdapters: Record<Address, { token: Address; scale: bigint }> = {
  "0x2f25deb3848c207fc8e0c34035b3ba7fc157602b": {
    token: "0xceba9300f2b948710d2653dd7b07f33a8b32118c",
    scale: 10n ** 12n,
  },
  "0x0e2a3e05bc9a16f5292a6170456a710cb89c6f72": {
    token: "0x48065fbbe25f71c9282ddf5e1cd6d6a887483d5e",
    scale: 10n ** 12n,
  },
};

type Charged = {
  transaction: RpcTransaction;
  receipt: RpcReceipt;
  /** The movements of tokens and of the coin, as decoded. */
  tokens: readonly Movement[];
  coin: readonly CoinMove[];
};

/**
 * The fee of a transaction, and the movements without it. A movement that was the fee is not a
 * transfer too.
 */
export type Charge = {
  fee: Movement | null;
  tokens: readonly Movement[];
  coin: readonly CoinMove[];
};

type FeeRules = Pick<ChainProfile, "family" | "mayHaveDataFeeInGas">;

/**
 * Finds the fee of a transaction. Its sender pays it in the chain's coin, unless the chain or the
 * transaction says otherwise.
 */
export function chargeOf(profile: FeeRules, charged: Charged): Charge {
  switch (profile.family) {
    case "Tempo":
      return tempoCharge(charged);
    case "ZK stack":
      return bootloaderCharge(charged);
    default:
      return gasCharge(profile, charged);
  }
}

/** The cost of gas, data and the like. No fee: nobody pays it on this chain. */
function gasCharge(
  { mayHaveDataFeeInGas }: FeeRules,
  { transaction, receipt, tokens, coin }: Charged,
): Charge {
  const { hash, type, raw } = transaction;
  const free = { fee: null, tokens, coin };
  // A deposit is paid for on the parent chain. A prepaid transaction of Nitro brings its own
  // payment, which only its trace shows.
  if (type === txTypes.deposit || isPrepaid(type)) return free;
  const gas = receipt.gasUsed * receipt.effectiveGasPrice;
  const feeCurrency = readOptionalAddress(raw["feeCurrency"], "feeCurrency");
  if (feeCurrency !== null) {
    const logged = gas === 0n ? null : loggedFee(transaction, receipt, tokens);
    return { coin, ...(logged ?? { fee: tokenFee(transaction, feeCurrency, gas), tokens }) };
  }
  const footprint = receipt.raw["daFootprintGasScalar"] ?? null;
  const isInGas = mayHaveDataFeeInGas && footprint === null;
  const amountAtomic = isInGas ? gas : gas + receipt.otherFees;
  if (amountAtomic === 0n) return free;
  const from = payerOf(transaction, receipt);
  return { ...free, fee: feePaid(hash, { from, asset: nativeAddress, amountAtomic }) };
}

/**
 * EIP-8130: another account may pay. The receipt names it, because the transaction may leave it
 * open.
 */
function payerOf({ from, type, raw }: RpcTransaction, receipt: RpcReceipt): Address {
  if (type !== txTypes.accountAbstraction) return from;
  const named = receipt.raw["payer"] ?? accountAbstractionBody(raw)["payer"];
  return readOptionalAddress(named, "payer") ?? from;
}

/**
 * CIP-64: before the transaction the token takes the price of the gas limit from the payer (debit).
 * After it the token pays that out, to the payer and to those who earn the fee (credit). It logs
 * both around all other logs, also of a failed transaction. Mento's and Circle's tokens pay all of
 * it back to the payer, who then pays the fee on. Tether's pays back only the rest.
 *
 * These transfers are the fee. Null: the token does not log them.
 */
function loggedFee(
  { hash, from }: RpcTransaction,
  { logs }: RpcReceipt,
  tokens: readonly Movement[],
): Pick<Charge, "fee" | "tokens"> | null {
  const [debit] = tokens;
  if (debit?.from !== from || debit.asset !== logs[0]?.address) return null;
  const { asset, to: holder } = debit;
  let heldAtomic = debit.amountAtomic;
  let amountAtomic = debit.amountAtomic;
  for (let at = tokens.length - 1; at > 0; at -= 1) {
    const credit = tokens[at];
    const isOfHolder = credit?.from === holder;
    if (credit?.asset !== asset || !(isOfHolder || credit.from === from)) return null;
    if (isOfHolder) heldAtomic -= credit.amountAtomic;
    if (credit.from === from) amountAtomic += credit.amountAtomic;
    if (credit.to === from) amountAtomic -= credit.amountAtomic;
    if (heldAtomic > 0n) continue;
    if (heldAtomic < 0n || amountAtomic <= 0n) return null;
    return { fee: feePaid(hash, { from, asset, amountAtomic }), tokens: tokens.slice(1, at) };
  }
  return null;
}

/** CIP-64: the gas price is in the token. Reckons a fee that the token does not log. */
function tokenFee(
  { hash, from }: RpcTransaction,
  feeCurrency: Address,
  gas: bigint,
): Movement | null {
  const { token, scale } = celoAdapters[feeCurrency] ?? { token: feeCurrency, scale: 1n };
  const amountAtomic = (gas + scale - 1n) / scale;
  return amountAtomic === 0n ? null : feePaid(hash, { from, asset: token, amountAtomic });
}

/** Tempo: the last transfer of the fee token from the payer that the receipt names. */
function tempoCharge({ transaction, receipt, tokens, coin }: Charged): Charge {
  const payer = readOptionalAddress(receipt.raw["feePayer"], "feePayer");
  const at = tokens.findLastIndex(({ from, to }) => from === payer && to === tempoFeeManager);
  const taken = tokens[at];
  if (payer === null || taken === undefined) return { fee: null, tokens, coin };
  const { asset, amountAtomic } = taken;
  const fee = feePaid(transaction.hash, { from: payer, asset, amountAtomic });
  return { fee, tokens: tokens.toSpliced(at, 1), coin };
}

/**
 * zkSync: what the bootloader received, less what it paid back to the payer. A refund to another
 * account stays a transfer.
 */
function bootloaderCharge({ transaction, tokens, coin }: Charged): Charge {
  const payer = coin.find(({ to }) => to === bootloader)?.from;
  if (payer === undefined) return { fee: null, tokens, coin };
  const isFee = ({ from, to }: CoinMove) =>
    (from === payer && to === bootloader) || (from === bootloader && to === payer);
  let amountAtomic = 0n;
  for (const move of coin.filter(isFee))
    amountAtomic += move.to === bootloader ? move.amountAtomic : -move.amountAtomic;
  const rest = coin.filter((move) => !isFee(move));
  if (amountAtomic <= 0n) return { fee: null, tokens, coin: rest };
  const fee = feePaid(transaction.hash, { from: payer, asset: nativeAddress, amountAtomic });
  return { fee, tokens, coin: rest };
}
