import { Fault, type FaultCode, faultIn } from "../domain/fault.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { invalidField } from "../domain/text.ts";
import type { NewWallet, Wallet } from "../domain/watch/wallet.ts";
import { conflictsIn, findRepeats, parseWallet, type WalletInput } from "./parse-wallet.ts";

type Ledger = {
  addWallets: (addition: {
    businessId: string;
    wallets: readonly NewWallet[];
    onProgress?: (written: number) => void;
  }) => Promise<Wallet[]>;
};

/** A wallet as a line of a file says it. */
export type ImportedLine = { line: number; wallet: WalletInput };

type LineFault = { code: FaultCode; line: number; field: string; message: string };

/** What one transaction can hold in memory and in time. */
const maxLines = 1_000_000;

/** Lines named in one report: a file that is wrong from end to end is not repeated whole. */
const maxDetails = 1_000;

/**
 * Adds the wallets of a file, all or none, in one transaction. `faults` are those of lines that could not be read at
 * all: they refuse the whole file too, told together with whatever else is wrong. The Fault's `facts.details` name each line.
 * @throws Fault `business_not_found`, `invalid_request`, `wallet_exists`
 */
export async function importWallets(
  deps: { ledger: Ledger; chainNames: readonly string[] },
  input: {
    businessId: string;
    lines: readonly ImportedLine[];
    faults: readonly { line: number; field: string; message: string }[];
    onProgress: (written: number) => void;
  },
): Promise<{ business_id: string; imported: number }> {
  const { businessId, lines, onProgress } = input;
  if (!isId(businessId)) throw notFound("business_not_found");
  const faults = input.faults.map((fault): LineFault => ({ code: "invalid_request", ...fault }));
  if (lines.length + faults.length === 0)
    throw invalidField("file", "expected at least one wallet");
  if (lines.length > maxLines) throw invalidField("file", `expected at most ${maxLines} lines`);
  const wallets = lines.map(({ line, wallet }) => {
    const refuse = (code: FaultCode, field: string, message: string) =>
      faults.push({ code, line, field, message });
    return parseWallet(wallet, { refuse, chainNames: deps.chainNames });
  });
  for (const { index, first } of findRepeats(wallets)) {
    const [line = 0, firstLine = 0] = [lines[index]?.line, lines[first]?.line];
    const message = `the same as on line ${firstLine}`;
    faults.push({ code: "invalid_request", line, field: "address", message });
  }
  if (faults.length > 0) throw refusal(faults);
  try {
    const added = await deps.ledger.addWallets({ businessId, wallets, onProgress });
    return { business_id: businessId.toLowerCase(), imported: added.length };
  } catch (error) {
    const taken = takenFaults(error, { lines, wallets });
    throw taken.length === 0 ? error : refusal(taken);
  }
}

function takenFaults(
  error: unknown,
  file: { lines: readonly ImportedLine[]; wallets: readonly NewWallet[] },
): LineFault[] {
  const lineOf = new Map(
    file.wallets.map(({ chainName, address }, index) => [
      `${chainName}/${address}`,
      file.lines[index]?.line ?? 0,
    ]),
  );
  return conflictsIn(faultIn(error)).map(({ blockchain, address, businessName, businessId }) => ({
    code: "wallet_exists",
    line: lineOf.get(`${blockchain}/${address}`) ?? 0,
    field: "address",
    message: `watched already: it belongs to '${businessName}' (${businessId})`,
  }));
}

function refusal(faults: LineFault[]): Fault {
  const sorted = faults.sort((a, b) => a.line - b.line);
  const count = new Set(sorted.map(({ line }) => line)).size;
  const code = sorted[0]?.code ?? "invalid_request";
  const details = sorted
    .slice(0, maxDetails)
    .map(({ line, field, message }) => ({ line, field, message }));
  const lines = count === 1 ? "One line is" : `${count} lines are`;
  return new Fault(code, `${lines} refused; nothing was added.`, { facts: { details } });
}
