import { parseAddress } from "../domain/chain/address.ts";
import { type FaultCode, faultIn } from "../domain/fault.ts";
import { type FieldProblem, fieldProblems } from "../domain/field-problem.ts";
import { mapSliced, type Sliced } from "../domain/in-slices.ts";
import { type FieldRule, invalidFields, isNameText, nameTextRule } from "../domain/text.ts";
import { type NewWallet, walletPurposes } from "../domain/watch/wallet.ts";
import type { WalletConflict } from "../domain/watch/wallet-conflict.ts";
import { blockRule, isBlockNumber } from "./fields.ts";
import type { WalletInput } from "./wallet-body.ts";

/** A field of a wallet that breaks a rule, with its word in the table of problems. */
export type WalletProblem = FieldRule & { code: FieldProblem };

type Parsing = {
  /** Called for each wrong field, so that one answer can name all of them. */
  refuse: (fault: FaultCode, problem: WalletProblem) => void;
  /** The names of the configured chains. Null: the ledger checks the name. */
  chainNames: readonly string[] | null;
};

/**
 * Makes a wallet of an input; its purpose is `deposit` unless given. If `refuse` was called, the
 * result must not be used.
 */
export function parseWallet(input: WalletInput, { refuse, chainNames }: Parsing): NewWallet {
  if (chainNames !== null && !chainNames.includes(input.blockchain)) {
    refuse("unknown_blockchain", { field: "blockchain", ...unknownChain(chainNames) });
  }
  const purpose = walletPurposes.find((word) => word === (input.purpose ?? "deposit"));
  if (purpose === undefined) refuse("invalid_request", notAPurpose);
  for (const field of ["label", "reference"] as const) {
    const text = input[field] ?? null;
    if (text !== null && !isNameText(text))
      refuse("invalid_request", { field, message: nameTextRule, code: "name_text" });
  }
  const fromBlock = input.from_block ?? null;
  if (fromBlock !== null && !isBlockNumber(fromBlock))
    refuse("invalid_request", { field: "from_block", message: blockRule, code: "block" });
  return {
    chainName: input.blockchain,
    address: parseAddressOr(input.address, (problem) => refuse("invalid_address", problem)),
    purpose: purpose ?? "deposit",
    label: input.label ?? null,
    reference: input.reference ?? null,
    fromBlock: fromBlock !== null && isBlockNumber(fromBlock) ? BigInt(fromBlock) : null,
  };
}

const purposes = walletPurposes.join(", ");

const notAPurpose: WalletProblem = {
  field: "purpose",
  message: `expected one of ${purposes}`,
  code: "choice",
  values: { choices: purposes },
};

function unknownChain(chainNames: readonly string[]): Omit<WalletProblem, "field"> {
  if (chainNames.length === 0) return { message: fieldProblems.no_chain.rule, code: "no_chain" };
  const chains = chainNames.join(", ");
  const message = `expected one of the configured chains: ${chains}`;
  return { message, code: "unknown_chain", values: { chains } };
}

function parseAddressOr(
  text: string,
  refuse: (problem: WalletProblem) => void,
): NewWallet["address"] {
  try {
    return parseAddress(text);
  } catch (error) {
    const message = faultIn(error)?.message.replace(/\.$/, "") ?? "expected an address";
    const code = /^0x[0-9a-f]{40}$/i.test(text) ? "checksum" : "address";
    refuse({ field: "address", message, code, values: { address: text.slice(0, 64) } });
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

/** The rule that an address breaks which a business has already. It is for the administrator. */
export function taken({ businessName, businessId }: WalletConflict): Omit<WalletProblem, "field"> {
  return {
    message: `must be new: '${businessName}' (${businessId}) has it already`,
    code: "taken",
    values: { business: businessName, business_id: businessId },
  };
}

type WalletFault = { fault: FaultCode; problem: WalletProblem };

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
    const nameOf = (field: string) => (isList ? `wallets[${index}].${field}` : field);
    const refuse = (fault: FaultCode, problem: WalletProblem) =>
      faults.push({ fault, problem: { ...problem, field: nameOf(problem.field) } });
    return parseWallet(wallet, { refuse, chainNames });
  });
  for (const { index, first } of findRepeats(parsed)) {
    const other = `wallets[${first}].address`;
    const message = `must stand once in the list: ${other} is the same`;
    const field = `wallets[${index}].address`;
    const problem: WalletProblem = { field, message, code: "repeated", values: { other } };
    faults.push({ fault: "invalid_request", problem });
  }
  throwFaults(faults);
  return parsed;
}

function throwFaults(faults: readonly WalletFault[]): void {
  const [first, ...others] = faults;
  if (first === undefined) return;
  throw invalidFields(
    first.problem,
    others.map(({ problem }) => problem),
    first.fault,
  );
}
