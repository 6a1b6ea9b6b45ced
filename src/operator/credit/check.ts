import type { Audited } from "../../domain/business/audit.ts";
import {
  type CreditCheck,
  decodeLineCursor,
  type LinesAsked,
  type LinesPage,
  type ReceivedCredits,
  type SentCredits,
  type SettledCredits,
} from "../../domain/credits/credit-check.ts";
import { type CreditFormat, creditFormats } from "../../domain/credits/read-credits.ts";
import { type VerdictName, verdictNames } from "../../domain/credits/verdicts.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { requireId } from "../../domain/not-found.ts";
import { maxPageSize } from "../../domain/page.ts";
import { presentCheck, presentLine } from "../../schema/credit-check.ts";
import { defineCommand } from "../define-command.ts";
import type { LineFiles } from "../line-files.ts";
import { argument, flag, moment, oneOf, optional, required, text } from "../parameter.ts";

type ReadLines = (asked: LinesAsked) => Promise<LinesPage<Parameters<typeof presentLine>[0]>>;

type Ports = {
  ledger: {
    receiveCredits: (sent: SentCredits) => Promise<ReceivedCredits>;
    abandonCredits: (checkId: string) => Promise<void>;
    settleCredits: (
      received: ReceivedCredits,
      period: { from: Date | null; to: Date | null },
    ) => Promise<SettledCredits>;
    readCreditLines: ReadLines;
    readCreditChanges: ReadLines;
  };
  audited: Audited<{ finishCredits: (settled: SettledCredits) => Promise<CreditCheck> }>;
  /** Reads the bytes of a file. @throws Fault `invalid_request` if it cannot be read */
  streamFile: (path: string) => AsyncIterable<Uint8Array>;
  lineFiles: Pick<LineFiles, "requireNew" | "write">;
};

type Input = {
  file: string;
  business: string;
  from: Date | undefined;
  to: Date | undefined;
  format: CreditFormat | undefined;
  changes: boolean;
  out: string | undefined;
};

const formats = keysOf(creditFormats);

/**
 * Compares the credits in a file with the ledger, as `POST /reconciliations` does for the business.
 * Stores the run with the business's own. Does not change the ledger.
 * @throws Fault `invalid_request`, `business_not_found`, `reconciliation_running`
 */
export const creditCheck = defineCommand({
  noun: "credit",
  name: "check",
  help: "Compare what a business has credited with what the ledger received, as POST /reconciliations does. The exit status is 3 where something is found. It never changes the ledger.",
  examples: [
    "credit check january.csv --business 018f… --from 2026-01-01 --to 2026-02-01",
    "credit check january.csv --business 018f… --changes --out found.jsonl",
  ],
  takes: {
    file: argument("<file>", "CSV or JSON lines of credits, as POST /reconciliations takes them"),
    business: required("--business <id>", text, "whose credits they are"),
    from: optional(
      "--from <time>",
      moment,
      "from this block time on; by default the oldest credit",
    ),
    to: optional("--to <time>", moment, "up to this one, not included; by default the newest"),
    format: optional(
      "--format <format>",
      oneOf(formats),
      "csv or jsonl; by default as its name ends",
    ),
    changes: flag("--changes", "write only what differs from the run before"),
    out: optional("--out <file>", text, "write what was found into a new file of JSON lines"),
  },
  async run({ ledger, audited, streamFile, lineFiles }: Ports, input: Input) {
    const businessId = requireId(input.business, "business_not_found").toLowerCase();
    const format = input.format ?? (/\.csv$/i.test(input.file) ? "csv" : "jsonl");
    const { out = null } = input;
    // A run that is stored is the one before the next: what it found would be no change any more.
    if (out !== null) await lineFiles.requireNew(out);
    const bytes = streamFile(input.file);
    const received = await ledger.receiveCredits({ businessId, format, bytes });
    const check = await finish({ ledger, audited }, received, input);
    if (out !== null) {
      const read = input.changes ? ledger.readCreditChanges : ledger.readCreditLines;
      const found = textsOf(read, { businessId, checkId: check.id });
      await lineFiles.write(out, found, async () => {});
    }
    return { ...presentCheck(check), business_id: businessId, out };
  },
  hasFindings: ({ counts }) =>
    verdictNames.some((verdict) => verdict !== "matches" && counts[verdict] > 0),
});

async function finish(
  { ledger, audited }: Pick<Ports, "ledger" | "audited">,
  received: ReceivedCredits,
  { from, to }: Input,
): Promise<CreditCheck> {
  try {
    const settled = await ledger.settleCredits(received, { from: from ?? null, to: to ?? null });
    const { id, digest, credits } = settled;
    const { businessId } = received;
    return await audited("credit.check", async (tx) => {
      const output = await tx.finishCredits(settled);
      return { output, entry: { subject: id, details: { businessId, digest, credits } } };
    });
  } catch (error) {
    await ledger.abandonCredits(received.checkId);
    throw error;
  }
}

type Run = { businessId: string; checkId: string };

/** Everything except the matches, one verdict after the other. */
async function* textsOf(read: ReadLines, run: Run): AsyncGenerator<string> {
  for (const verdict of verdictNames)
    if (verdict !== "matches") yield* textsWith(read, { ...run, verdict });
}

async function* textsWith(
  read: ReadLines,
  of: Run & { verdict: VerdictName },
): AsyncGenerator<string> {
  for (let after: number | null = 0; after !== null; ) {
    const page = await read({ ...of, after, limit: maxPageSize });
    for (const line of page.rows) yield JSON.stringify(presentLine(line));
    after = page.nextCursor === null ? null : decodeLineCursor(page.nextCursor);
  }
}
