import { createHash } from "node:crypto";
import type { OpenStatement, StatementAsked } from "../../domain/evidence/account-statement.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import {
  type StatementFormat,
  type StatementLine,
  statementFormats,
  statementLines,
  statementTexts,
} from "../../domain/evidence/statement-lines.ts";
import { statementPeriod } from "../../domain/evidence/statement-period.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { requireId } from "../../domain/not-found.ts";
import { given } from "../../schema/fields.ts";
import { defineCommand } from "../define-command.ts";
import type { LineFiles } from "../line-files.ts";
import { oneOf, optional, optionOr, required, text } from "../parameter.ts";

type Ports = {
  ledger: { openStatement: (asked: StatementAsked) => Promise<OpenStatement> };
  lineFiles: Pick<LineFiles, "write">;
  sign: Sign;
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
  format: StatementFormat;
  out: string;
};

/**
 * Writes what a business's wallets held at two moments and everything the journal has between, into
 * a new file. The file is there whole and adds up, or not at all.
 * @throws Fault `invalid_request`, `business_not_found`, `wallet_not_found`, `chain_not_found`,
 *   `invariant_broken`
 */
export const statement = defineCommand({
  noun: null,
  name: "statement",
  help: "Write a signed statement of a business over a period: opening, every entry of the journal, totals, closing. It rests on the blocks and seals that it names, and adds up, or is not written.",
  examples: [
    "statement --business 018f… --month 2026-10 --time-zone Europe/Zurich --out october.jsonl",
    "statement --business 018f… --from 2026-10-01 --to 2026-10-08 --format csv --out week.csv",
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
    reference: optional("--reference <prefix>", text, "of the wallets whose reference begins so"),
    format: optionOr<StatementFormat>("--format <format>", oneOf(statementFormats), {
      help: "jsonl, which is verified, or csv",
      standard: "jsonl",
    }),
    out: required("--out <file>", text, "the file, which is not there yet"),
  },
  async run({ ledger, lineFiles, sign, clock }: Ports, input: Input) {
    const asked: StatementAsked = {
      businessId: requireId(input.business, "business_not_found"),
      period: statementPeriod(input),
      filter: given({
        chainName: input.blockchain,
        assetCode: input.asset,
        walletId: input.wallet && requireId(input.wallet, "wallet_not_found"),
        label: input.label,
        referencePrefix: input.reference,
      }),
    };
    const now = clock.now();
    const opened = await ledger.openStatement(asked);
    const source = { id: idAt(now), madeAt: new Date(now), asked, statement: opened, sign };
    const last: StatementLine[] = [];
    const lines = keepingLast(statementLines(source), last);
    const written = createHash("sha256");
    await lineFiles.write(
      input.out,
      hashed(statementTexts(lines, input.format), written),
      async (read) => {
        if ((await digestOf(read)) !== written.digest("hex"))
          throw new Fault("invariant_broken", `The file ${input.out} is not what was written.`);
      },
    );
    const [count, end] = last;
    return {
      id: source.id,
      file: input.out,
      final: opened.bounds.every(({ closing }) => closing.isOver),
      ...pick(count, ["holdings", "entries", "unpriced"]),
      ...pick(end, ["digest", "signature"]),
    };
  },
});

/** The last two lines say what came of it all. */
async function* keepingLast(lines: AsyncIterable<StatementLine>, last: StatementLine[]) {
  for await (const line of lines) {
    last.push(line);
    if (last.length > 2) last.shift();
    yield line;
  }
}

function pick(line: StatementLine | undefined, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, line?.[name] ?? null]));
}

/** Without the line breaks, which the file gets from its writer. */
async function* hashed(texts: AsyncIterable<string>, hash: ReturnType<typeof createHash>) {
  for await (const one of texts) {
    const bare = one.replace(/\n$/, "");
    hash.update(`${bare.replace(/\r$/, "")}\n`);
    yield bare;
  }
}

async function digestOf(lines: AsyncIterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const one of lines) hash.update(`${one.replace(/\r$/, "")}\n`);
  return hash.digest("hex");
}
