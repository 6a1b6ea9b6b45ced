import { z } from "zod";
import { auditOfAdded } from "../../domain/business/audit-of-added.ts";
import { Fault, type FaultCode, faultIn } from "../../domain/fault.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import type { NewWallet, Wallet } from "../../domain/watch/wallet.ts";
import { WalletExists } from "../../domain/watch/wallet-conflict.ts";
import { count, idText } from "../../schema/answers.ts";
import { findRepeats, parseWallet, taken, type WalletProblem } from "../../schema/parse-wallet.ts";
import type { WalletInput } from "../../schema/wallet-body.ts";
import { defineChange } from "../define-verb.ts";
import { argument, required, text } from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";

type Ledger = {
  addWallets: (addition: {
    businessId: string;
    wallets: readonly NewWallet[];
    /** Called with the number of wallets written so far. They take effect only at the end. */
    onProgress: (written: number) => void;
  }) => Promise<Wallet[]>;
};

/** The content of a file of wallets, line by line. */
export type WalletFile = {
  lines: { line: number; wallet: WalletInput }[];
  /** Lines that are not wallets. Any of them refuses the whole file. */
  faults: { line: number; field: string; message: string }[];
};

type CheckPorts = {
  readWalletFile: (path: string) => Promise<WalletFile>;
  chainNames: readonly string[];
};

/** The most lines that fit one transaction in memory and in time. */
const maxLines = 1_000_000;

const importFile = defineChange({
  noun: "wallet",
  http: null,
  cli: {
    name: "import",
    help: "Watch every address of a CSV file, all or none. Its first line names the columns: blockchain, address, and any of purpose, reference, label, from_block. Each line that is refused is named.",
    examples: [
      "wallet import --business 018f… wallets.csv",
      "wallet import --business 018f… wallets.csv --json",
    ],
    takes: {
      path: argument("<file>", "the CSV file, in UTF-8"),
      businessId: required("--business <id>", text, "whose wallets they are"),
    },
  },
  check: async (input: { path: string; businessId: string }, ports: CheckPorts) => {
    const file = await ports.readWalletFile(input.path);
    const businessId = requireId(input.businessId, "business_not_found");
    return { businessId, lines: file.lines, wallets: parseLines(file, ports.chainNames) };
  },
  call: async (
    ledger: Ledger,
    { businessId, lines, wallets },
    { showProgress }: { showProgress: ShowProgress },
  ) => {
    const progress = showProgress("wallets", wallets.length);
    try {
      return await ledger.addWallets({ businessId, wallets, onProgress: progress.update });
    } catch (error) {
      throw withLines(error, { lines, wallets });
    } finally {
      progress.end();
    }
  },
  audit: {
    action: "wallet.add",
    describe: (added, { businessId }) => auditOfAdded(added, businessId),
  },
  answer: z.object({ business_id: idText, imported: count }),
  present: ({ length }, { businessId }) => ({
    business_id: businessId.toLowerCase(),
    imported: length,
  }),
});

/**
 * Watches the wallets of a file, all of them or none, in one transaction. The fault's
 * `facts.details` name each refused line. Only the command line reads files.
 * @throws Fault `business_not_found`, `invalid_request`, `wallet_exists`
 */
export const walletImport = { ...importFile, http: null };

type LineFault = { code: FaultCode; line: number; field: string; message: string };

function parseLines({ lines, ...file }: WalletFile, chainNames: readonly string[]): NewWallet[] {
  const faults = file.faults.map((fault): LineFault => ({ code: "invalid_request", ...fault }));
  if (lines.length + faults.length === 0)
    throw invalidField("file", "must have at least one wallet");
  if (lines.length > maxLines) throw invalidField("file", `must have at most ${maxLines} lines`);
  const wallets = lines.map(({ line, wallet }) => {
    const refuse = (code: FaultCode, { field, message }: WalletProblem) =>
      faults.push({ code, line, field, message });
    return parseWallet(wallet, { refuse, chainNames });
  });
  for (const { index, first } of findRepeats(wallets)) {
    const [line = 0, firstLine = 0] = [lines[index]?.line, lines[first]?.line];
    const message = `must stand once in the file: it is on line ${firstLine} too`;
    faults.push({ code: "invalid_request", line, field: "address", message });
  }
  if (faults.length > 0) throw refusal(faults, new Set(faults.map(({ line }) => line)).size);
  return wallets;
}

/** Adds the lines of taken addresses to their fault. Returns any other error unchanged. */
function withLines(
  error: unknown,
  file: { lines: WalletFile["lines"]; wallets: readonly NewWallet[] },
): unknown {
  const fault = faultIn(error);
  if (!(fault instanceof WalletExists)) return error;
  const lineOf = new Map(
    file.wallets.map(({ chainName, address }, index) => [
      `${chainName}/${address}`,
      file.lines[index]?.line ?? 0,
    ]),
  );
  const refused = fault.conflicts.map(
    (conflict): LineFault => ({
      code: "wallet_exists",
      line: lineOf.get(`${conflict.blockchain}/${conflict.address}`) ?? 0,
      field: "address",
      message: taken(conflict).message,
    }),
  );
  return refused.length === 0 ? error : refusal(refused, fault.count);
}

/** The most lines that one report names. A file that is wrong throughout is not repeated whole. */
const maxDetails = 1_000;

/** @param lineCount how many lines are refused; the number of faults may differ */
function refusal(faults: readonly LineFault[], lineCount: number): Fault {
  const sorted = [...faults].sort((a, b) => a.line - b.line);
  const code = sorted[0]?.code ?? "invalid_request";
  const details = sorted
    .slice(0, maxDetails)
    .map(({ line, field, message }) => ({ line, field, message }));
  const lines = lineCount === 1 ? "One line is" : `${lineCount} lines are`;
  const named = new Set(details.map(({ line }) => line)).size;
  const some = named < lineCount ? ` The first ${named} are named.` : "";
  return new Fault(code, `${lines} refused; nothing was added.${some}`, { facts: { details } });
}
