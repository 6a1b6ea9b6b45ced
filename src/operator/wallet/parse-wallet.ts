import { parseAddress } from "../../domain/chain/address.ts";
import { type FaultCode, faultIn } from "../../domain/fault.ts";
import { isPlainText, plainTextRule } from "../../domain/text.ts";
import { type NewWallet, walletPurposes } from "../../domain/watch/wallet.ts";
import { blockRule, isBlockNumber } from "../../schema/fields.ts";
import type { WalletInput } from "./wallet-body.ts";

type Parsing = {
  /** Called for each field that cannot be read, so that all of them are named at once. */
  refuse: (code: FaultCode, field: string, message: string) => void;
  chainNames: readonly string[];
};

/**
 * The wallet of an input, a `deposit` one where no purpose is given; where something of it was
 * refused, what is answered is of no use.
 */
export function parseWallet(input: WalletInput, { refuse, chainNames }: Parsing): NewWallet {
  if (!chainNames.includes(input.blockchain)) {
    const known = chainNames.length === 0 ? "none is configured" : chainNames.join(", ");
    refuse("unknown_blockchain", "blockchain", `expected one of the configured ones: ${known}`);
  }
  const purpose = walletPurposes.find((word) => word === (input.purpose ?? "deposit"));
  if (purpose === undefined) refuse("invalid_request", "purpose", "expected deposit or payment");
  for (const name of ["label", "reference"] as const) {
    const text = input[name] ?? null;
    if (text !== null && !isPlainText(text)) refuse("invalid_request", name, plainTextRule);
  }
  const fromBlock = input.from_block ?? null;
  if (fromBlock !== null && !isBlockNumber(fromBlock))
    refuse("invalid_request", "from_block", blockRule);
  return {
    chainName: input.blockchain,
    address: parseAddressOr(input.address, (message) =>
      refuse("invalid_address", "address", message),
    ),
    purpose: purpose ?? "deposit",
    label: input.label ?? null,
    reference: input.reference ?? null,
    fromBlock: fromBlock !== null && isBlockNumber(fromBlock) ? BigInt(fromBlock) : null,
  };
}

function parseAddressOr(text: string, refuse: (message: string) => void): NewWallet["address"] {
  try {
    return parseAddress(text);
  } catch (error) {
    refuse(faultIn(error)?.message.replace(/\.$/, "") ?? "expected an address");
    return "0x";
  }
}

/**
 * Each wallet that is there already, with where it is first. Addresses that could not be read are
 * not compared.
 */
export function findRepeats(wallets: readonly NewWallet[]): { index: number; first: number }[] {
  const firsts = new Map<string, number>();
  return wallets.flatMap(({ chainName, address }, index) => {
    const key = `${chainName}/${address}`;
    const first = firsts.get(key);
    if (address !== "0x" && first !== undefined) return [{ index, first }];
    firsts.set(key, index);
    return [];
  });
}
