// Makes a statement of everything that a business has, and gives it, as the API does.
import { generateKeyPairSync, sign } from "node:crypto";
import { statementIn } from "../../src/domain/evidence/statement-formats.ts";
import { statementPeriod } from "../../src/domain/evidence/statement-period.ts";
import { readStatementTexts } from "../../src/ledger/evidence/made-statements.ts";
import { makeStatement } from "../../src/ledger/evidence/make-statement.ts";
import { openDatabase } from "../../src/ledger/postgres/database.ts";
import type { Programs } from "../process/protocol.ts";
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

type Answer = Programs["make-statement"]["answer"];

serveParent<"make-statement">(null, async ({ formats }) => {
  const startedMs = performance.now();
  const made = await makeStatement(db, { ...making, nowMs: Date.now() });
  const madeS = secondsSince(startedMs);
  const givenS: Answer["givenS"] = {};
  for (const format of formats) {
    const startedAtMs = performance.now();
    let length = 0;
    for await (const text of statementIn(format, made, readStatementTexts(db, made)))
      length += text.length;
    if (length === 0) throw new Error(`Nothing was given as ${format}.`);
    givenS[format] = secondsSince(startedAtMs);
  }
  const peakMib = process.resourceUsage().maxRSS / 1024;
  return { entries: made.entries, madeS, givenS, peakMib };
});

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}
