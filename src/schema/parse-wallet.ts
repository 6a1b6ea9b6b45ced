import { parseAddress } from "../domain/chain/address.ts";
import { type FaultCode, faultIn } from "../domain/fault.ts";
import { mapSliced, type Sliced } from "../domain/in-slices.ts";
import { type FieldRule, invalidFields, isNameText, nameTextRule } from "../domain/text.ts";
import { type NewWallet, walletPurposes } from "../domain/watch/wallet.ts";
import { blockRule, isBlockNumber } from "./fields.ts";
import type { WalletInput } from "./wallet-body.ts";

type Parsing = {
  /** Called for each wrong field, so that one answer can name all of them. */
  refuse: (code: FaultCode, field: string, message: string) => void;
  /** The names of the configured chains. Null: the ledger checks the name. */
  chainNames: readonly string[] | null;
};

/**
 * Makes a wallet of an input; its purpose is `deposit` unless given. If `refuse` was called, the
 * result must not be used.
 */
export function parseWallet(input: WalletInput, { refuse, chainNames }: Parsing): NewWallet {
  if (chainNames !== null && !chainNames.includes(input.blockchain)) {
    const rule =
      chainNames.length === 0
        ? "must name a configured chain: none is configured"
        : `expected one of the configured chains: ${chainNames.join(", ")}`;
    refuse("unknown_blockchain", "blockchain", rule);
  }
  const purpose = walletPurposes.find((word) => word === (input.purpose ?? "deposit"));
  if (purpose === undefined) refuse("invalid_request", "purpose", "expected deposit or payment");
  for (const name of ["label", "reference"] as const) {
    const text = input[name] ?? null;
    if (text !== null && !isNameText(text)) refuse("invalid_request", name, nameTextRule);
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
 * Each repeated wallet, with the index of its first occurrence. Ignores addresses that could not be
 * read.
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

type WalletFault = FieldRule & { code: FaultCode };

/**
 * Makes the wallets of a request. One Fault names everything that is wrong with them.
 * @throws Fault `invalid_request`, `invalid_address`, `unknown_blockchain`
 */
export function* parseWallets(
  { wallets, isList }: { wallets: readonly WalletInput[]; isList: boolean },
  chainNames: readonly string[] | null,
): Sliced<NewWallet[]> {
  const faults: WalletFault[] = [];
  const parsed = yield* mapSliced(wallets, (wallet, index) => {
    const field = (name: string) => (isList ? `wallets[${index}].${name}` : name);
    const refuse = (code: FaultCode, name: string, message: string) =>
      faults.push({ code, field: field(name), message });
    return parseWallet(wallet, { refuse, chainNames });
  });
  for (const { index, first } of findRepeats(parsed)) {
    const message = `must stand once in the list: wallets[${first}].address is the same`;
    faults.push({ code: "invalid_request", field: `wallets[${index}].address`, message });
  }
  throwFaults(faults);
  return parsed;
}

function throwFaults(faults: readonly WalletFault[]): void {
  const [first, ...others] = faults;
  if (first !== undefined) throw invalidFields(first, others, first.code);
}
