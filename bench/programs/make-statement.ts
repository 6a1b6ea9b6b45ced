// Makes a statement of everything that a business has, or gives one, as the API does.
import { generateKeyPairSync, sign } from "node:crypto";
import type { MadeStatement } from "../../src/domain/evidence/made-statement.ts";
import { type StatementFormat, statementIn } from "../../src/domain/evidence/statement-formats.ts";
import { statementPeriod } from "../../src/domain/evidence/statement-period.ts";
import { findStatement, readStatementTexts } from "../../src/ledger/evidence/made-statements.ts";
import { makeStatement } from "../../src/ledger/evidence/make-statement.ts";
import { openDatabase } from "../../src/ledger/postgres/database.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";

const { databaseUrl, businessId } = givenTo<"make-statement">();
const db = openDatabase({ databaseUrl, poolSize: 2, kind: "request" });
const { privateKey } = generateKeyPairSync("ed25519");

const making = {
  asked: {
    businessId,
    period: statementPeriod({ from: "2020-01-01", to: "2100-01-01" }),
    filter: {},
  },
  by: { name: "bench", via: "api" as const },
  isAnew: true,
  sign: async (text: string) => ({
    keyId: "bench",
    value: sign(null, Buffer.from(text), privateKey).toString("base64"),
  }),
};

serveParent<"make-statement">(null, async (question) => {
  const startedMs = performance.now();
  const { id, entries } = await (question.kind === "make" ? make() : give(question));
  const seconds = (performance.now() - startedMs) / 1_000;
  return { id, entries, seconds, peakMib: process.resourceUsage().maxRSS / 1024 };
});

function make(): Promise<MadeStatement> {
  return makeStatement(db, { ...making, nowMs: Date.now() });
}

async function give({
  id,
  format,
}: {
  id: string;
  format: StatementFormat;
}): Promise<MadeStatement> {
  const made = await findStatement(db, { id, businessId });
  let length = 0;
  for await (const text of statementIn(format, made, readStatementTexts(db, made)))
    length += text.length;
  if (length === 0) throw new Error(`Nothing was given as ${format}.`);
  return made;
}
