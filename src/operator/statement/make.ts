import type { Actor } from "../../domain/business/audit.ts";
import type { StatementLedger } from "../../domain/evidence/made-statement.ts";
import type { Paper } from "../../domain/evidence/printed-statement.ts";
import { type StatementFormat, statementFormats } from "../../domain/evidence/statement-formats.ts";
import { statementPeriod } from "../../domain/evidence/statement-period.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { requireId } from "../../domain/not-found.ts";
import { given } from "../../schema/fields.ts";
import { presentStatement } from "../../schema/statement.ts";
import { defineCommand } from "../define-command.ts";
import { flag, oneOf, optional, optionOr, required, text } from "../parameter.ts";
import { type PrintPorts, pdfTake, requireFile, writeOrPrint } from "./print.ts";
import { progressOf } from "./progress.ts";

type Ports = PrintPorts & {
  ledger: Pick<StatementLedger, "makeStatement">;
  by: Actor;
  clock: { now: () => number };
};

type Input = {
  business: string;
  month: string | undefined;
  from: string | undefined;
  to: string | undefined;
  zone: string | undefined;
  blockchain: string | undefined;
  asset: string | undefined;
  wallet: string | undefined;
  label: string | undefined;
  reference: string | undefined;
  isAnew: boolean;
  format: StatementFormat;
  pdf: Paper | undefined;
  out: string;
};

/** The form in which a statement is written. */
export const formatTake = optionOr<StatementFormat>(
  "--format <format>",
  oneOf(keysOf(statementFormats)),
  { help: "jsonl, which is signed, csv, parquet, or html, a page to print", standard: "jsonl" },
);

/**
 * Writes into a new file what a business's wallets held at two moments, and all entries of the
 * journal between. The file is whole and adds up, or there is none. The statement is stored. If its
 * period is over, each call writes the same one.
 * @throws Fault `invalid_request`, `business_not_found`, `wallet_not_found`, `chain_not_found`,
 *   `invariant_broken`, `printing_failed`
 */
export const statementMake = defineCommand({
  noun: "statement",
  name: "make",
  isDefault: true,
  help: "Write a signed statement of a business over a period: opening, every entry of the journal, totals, closing. It rests on the blocks and seals that it names, and adds up, or is not written. It is stored; of a period that is over the same one is written again. The word make may be left out.",
  examples: [
    "statement --business 018f… --month 2026-10 --time-zone Europe/Zurich --out october.jsonl",
    "statement make --business 018f… --from 2026-10-01 --to 2026-10-08 --format csv --out week.csv",
    "statement --business 018f… --month 2026-10 --pdf a4 --out october.pdf",
  ],
  takes: {
    business: required("--business <id>", text, "of this business"),
    month: optional("--month <month>", text, "of a month, such as 2026-10"),
    from: optional("--from <time>", text, "or from this date or moment on"),
    to: optional("--to <time>", text, "up to this date or moment, which is not included"),
    zone: optional("--time-zone <name>", text, "the time zone of months and dates; UTC by default"),
    blockchain: optional("--blockchain <name>", text, "of this chain alone"),
    asset: optional("--asset <code>", text, "of this asset alone"),
    wallet: optional("--wallet <id>", text, "of this wallet alone"),
    label: optional("--label <label>", text, "of the wallets with this label"),
    reference: optional(
      "--reference <prefix>",
      text,
      "of the wallets with a reference that begins with this text",
    ),
    isAnew: flag("--anew", "make a new one, also where there is one of this period"),
    format: formatTake,
    pdf: pdfTake,
    out: required("--out <file>", text, "a new file"),
  },
  async run(ports: Ports, input: Input) {
    const { ledger, sign, clock, by } = ports;
    await requireFile(ports, input);
    const asked = {
      businessId: requireId(input.business, "business_not_found"),
      period: statementPeriod(input),
      filter: given({
        chainName: input.blockchain,
        assetCode: input.asset,
        walletId: input.wallet && requireId(input.wallet, "wallet_not_found").toLowerCase(),
        label: input.label,
        referencePrefix: input.reference,
      }),
    };
    const { isAnew, out } = input;
    const bar = progressOf(ports.showProgress, "entries made");
    const { onProgress } = bar;
    const made = await ledger
      .makeStatement({ asked, by, isAnew, sign, nowMs: clock.now(), onProgress })
      .finally(bar.end);
    await writeOrPrint(ports, made, input);
    return { file: out, ...presentStatement(made) };
  },
});
