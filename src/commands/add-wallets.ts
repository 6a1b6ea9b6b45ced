import { toChecksum } from "../domain/chain/checksum.ts";
import { Fault, type FaultCode, faultIn } from "../domain/fault.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { invalidField } from "../domain/text.ts";
import { maxWalletsPerCall, type NewWallet, type Wallet } from "../domain/watch/wallet.ts";
import { conflictsIn, findRepeats, parseWallet, type WalletInput } from "./parse-wallet.ts";
import { presentWallet, type ShownWallet } from "./present.ts";

type Ledger = {
  addWallets: (addition: {
    businessId: string;
    wallets: readonly NewWallet[];
  }) => Promise<Wallet[]>;
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
    const refuse = (code: FaultCode, name: string, message: string) =>
      faults.push({ code, field: field(name), message });
    return parseWallet(wallet, { refuse, chainNames: deps.chainNames });
  });
  faults.push(...repeated(parsed));
  throwFaults(faults);
  try {
    return (await deps.ledger.addWallets({ businessId, wallets: parsed })).map(presentWallet);
  } catch (error) {
    throw namingOwners(error);
  }
}

function repeated(wallets: readonly NewWallet[]): WalletFault[] {
  return findRepeats(wallets).map(({ index, first }) => ({
    code: "invalid_request",
    field: `wallets[${index}].address`,
    message: `the same as wallets[${first}].address`,
  }));
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

/** Owners named in one sentence. */
const maxNamedOwners = 10;

function namingOwners(error: unknown): unknown {
  const fault = faultIn(error);
  const conflicts = conflictsIn(fault);
  if (fault === undefined || conflicts.length === 0) return error;
  const owners = conflicts
    .slice(0, maxNamedOwners)
    .map(
      ({ blockchain, address, businessName, businessId }) =>
        `${toChecksum(address)} on ${blockchain} belongs to '${businessName}' (${businessId})`,
    );
  return new Fault("wallet_exists", `${fault.message} ${owners.join("; ")}.`, {
    cause: error,
    facts: fault.facts,
  });
}
