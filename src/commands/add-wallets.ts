import { parseAddress, toChecksum } from "../domain/address.ts";
import { Fault, type FaultCode, faultIn } from "../domain/fault.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { invalidField, isPlainText, plainTextRule } from "../domain/text.ts";
import {
  maxWalletsPerCall,
  type NewWallet,
  type Wallet,
  walletPurposes,
} from "../domain/wallet.ts";
import { presentWallet, type ShownWallet } from "./present.ts";

type Ledger = {
  addWallets: (addition: {
    businessId: string;
    wallets: readonly NewWallet[];
  }) => Promise<Wallet[]>;
};

/** Names are the API's own. A wallet that is not for checkout has the purpose `deposit`. */
export type WalletInput = {
  blockchain: string;
  address: string;
  purpose?: string;
  reference?: string | null;
  label?: string | null;
};

type WalletFault = { code: FaultCode; field: string; message: string };

/** Faults named in one answer: a file that is wrong from end to end is not repeated whole. */
const maxDetails = 100;

/**
 * Adds the wallets, all or none; each is watched from the next block processed, on one of the configured chains. The
 * fault of an address that is taken says whose it is: the caller is the administrator.
 * @throws Fault `business_not_found`, `invalid_request`, `invalid_address`, `unknown_blockchain`, `wallet_exists`
 */
export async function addWallets(
  deps: { ledger: Ledger; chainNames: readonly string[] },
  input: { businessId: string; wallets: readonly WalletInput[]; isList: boolean },
): Promise<ShownWallet[]> {
  const { businessId, wallets, isList } = input;
  if (!isId(businessId)) throw notFound("business_not_found");
  if (wallets.length < 1 || wallets.length > maxWalletsPerCall) {
    throw invalidField("wallets", `expected 1 to ${maxWalletsPerCall} of them`);
  }
  const faults: WalletFault[] = [];
  const parsed = wallets.map((wallet, index) => {
    const field = (name: string) => (isList ? `wallets[${index}].${name}` : name);
    return parseWallet(wallet, { field, faults, chainNames: deps.chainNames });
  });
  faults.push(...repeated(parsed));
  throwFaults(faults);
  try {
    return (await deps.ledger.addWallets({ businessId, wallets: parsed })).map(presentWallet);
  } catch (error) {
    throw namingOwners(error);
  }
}

type Parsing = {
  field: (name: string) => string;
  faults: WalletFault[];
  chainNames: readonly string[];
};

/** What cannot be read is added to the faults, so that all of them are told at once. */
function parseWallet(input: WalletInput, { field, faults, chainNames }: Parsing): NewWallet {
  const refuse = (code: FaultCode, name: string, message: string) =>
    faults.push({ code, field: field(name), message });
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
  return {
    chainName: input.blockchain,
    address: parseAddressOr(input.address, (message) =>
      refuse("invalid_address", "address", message),
    ),
    purpose: purpose ?? "deposit",
    label: input.label ?? null,
    reference: input.reference ?? null,
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

function repeated(wallets: readonly NewWallet[]): WalletFault[] {
  const firsts = new Map<string, number>();
  return wallets.flatMap(({ chainName, address }, index): WalletFault[] => {
    const key = `${chainName}/${address}`;
    const first = firsts.get(key);
    if (address === "0x" || first === undefined) {
      firsts.set(key, index);
      return [];
    }
    const message = `the same as wallets[${first}].address`;
    return [{ code: "invalid_request", field: `wallets[${index}].address`, message }];
  });
}

function throwFaults(faults: WalletFault[]): void {
  const first = faults[0];
  if (first === undefined) return;
  const rest = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
  const details = faults.slice(0, maxDetails).map(({ field, message }) => ({ field, message }));
  throw new Fault(first.code, `The field ${first.field} is refused: ${first.message}${rest}.`, {
    facts: { details },
  });
}

type Conflict = { blockchain: string; address: string; businessId: string; businessName: string };

function namingOwners(error: unknown): unknown {
  const fault = faultIn(error);
  if (fault?.code !== "wallet_exists" || !Array.isArray(fault.facts["conflicts"])) return error;
  const conflicts = fault.facts["conflicts"] as Conflict[];
  const owners = conflicts.map(
    ({ blockchain, address, businessName, businessId }) =>
      `${toChecksum(address)} on ${blockchain} belongs to '${businessName}' (${businessId})`,
  );
  return new Fault("wallet_exists", `${fault.message} ${owners.join("; ")}.`, {
    cause: error,
    facts: fault.facts,
  });
}
