import { parseAddress } from "../domain/chain/address.ts";
import { Fault, type FaultCode, faultIn } from "../domain/fault.ts";
import { mapSliced, type Sliced } from "../domain/in-slices.ts";
import { isNameText, nameTextRule } from "../domain/text.ts";
import { type NewWallet, walletPurposes } from "../domain/watch/wallet.ts";
import { blockRule, isBlockNumber } from "./fields.ts";
import type { WalletInput } from "./wallet-body.ts";

type Parsing = {
  /** Called for each field that cannot be read, so that all of them are named at once. */
  refuse: (code: FaultCode, field: string, message: string) => void;
  /** The configured chains' names. Null: the ledger looks at its own. */
  chainNames: readonly string[] | null;
};

/**
 * The wallet of an input, a `deposit` one where no purpose is given; where something of it was
 * refused, what is answered is of no use.
 */
export function parseWallet(input: WalletInput, { refuse, chainNames }: Parsing): NewWallet {
  if (chainNames !== null && !chainNames.includes(input.blockchain)) {
    const known = chainNames.length === 0 ? "none is configured" : chainNames.join(", ");
    refuse("unknown_blockchain", "blockchain", `expected one of the configured ones: ${known}`);
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

type WalletFault = { code: FaultCode; field: string; message: string };

/**
 * The wallets of a request, with everything that is wrong with them in one Fault.
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
    const message = `the same as wallets[${first}].address`;
    faults.push({ code: "invalid_request", field: `wallets[${index}].address`, message });
  }
  throwFaults(faults);
  return parsed;
}

/** Faults named in one answer: a list that is wrong from end to end is not repeated whole. */
const maxDetails = 100;

function throwFaults(faults: readonly WalletFault[]): void {
  const first = faults[0];
  if (first === undefined) return;
  const rest = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
  const details = faults.slice(0, maxDetails).map(({ field, message }) => ({ field, message }));
  throw new Fault(first.code, `The field ${first.field} is refused: ${first.message}${rest}.`, {
    facts: { details },
  });
}
