import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalJson } from "../../../../src/domain/evidence/canonical-json.ts";
import {
  newSigningKey,
  signatureOf,
  signedText,
} from "../../../../src/domain/evidence/signing-key.ts";
import { statementIn } from "../../../../src/domain/evidence/statement-formats.ts";
import { statementVerify } from "../../../../src/operator/statement/verify.ts";
import { verifyFile } from "../../../../src/verifying/verify-file.ts";

// Statements that were given out before their lines had a state and a source of their price.

const holding = {
  address: "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
  asset: "ETH",
  blockchain: "one",
  decimals: 18,
  label: "=mine",
  reference: null,
  wallet_id: "01a20098-39e4-7000-8000-02911919b011",
};

const end = {
  block: 7,
  block_hash: `0x${"ab".repeat(32)}`,
  block_time: "2026-10-31T22:59:59.000Z",
  seal: 3,
  seal_hash: "cd".repeat(32),
  final: true,
};

const balance = {
  ...holding,
  asset_address: "native",
  opening_known: true,
  wallet_ended_at: null,
};

const lines = [
  {
    line: "statement",
    statement: 1,
    id: "01a20098-39e4-7000-8000-02911919b012",
    made_at: "2026-11-01T00:00:00.000Z",
    business_id: "01a20098-39e4-7000-8000-02911919b013",
    business_name: "Shop",
    business_legal_name: null,
    business_address: null,
    from: "2026-09-30T22:00:00.000Z",
    to: "2026-10-31T23:00:00.000Z",
    time_zone: "Europe/Zurich",
    from_local: "2026-10-01 00:00:00 GMT+02:00",
    to_local: "2026-11-01 00:00:00 GMT+01:00",
    filter: { blockchain: null, asset: null, wallet_id: null, label: null, reference_prefix: null },
  },
  {
    line: "chain",
    blockchain: "one",
    chain_id: 901,
    opening: { ...end, block: 5, seal: 1 },
    closing: end,
  },
  { line: "opening", ...balance, amount: "1", amount_atomic: `1${"0".repeat(18)}` },
  {
    line: "entry",
    ...holding,
    entry_id: "17",
    kind: "confirmation",
    type: "deposit",
    prior_period: false,
    amount: "0.5",
    amount_atomic: `5${"0".repeat(17)}`,
    balance: "1.5",
    usd_value: "1000",
    time: "2026-10-25T00:30:00.000Z",
    recorded_at: "2026-10-25T00:30:01.000Z",
    block: 6,
    block_hash: `0x${"aa".repeat(32)}`,
    tx_hash: `0x${"ef".repeat(32)}`,
    transaction_id: "01a20098-39e4-7000-8000-02911919b014",
    from: "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    to: "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    memo: null,
  },
  { line: "closing", ...balance, amount: "1.5", amount_atomic: `15${"0".repeat(17)}` },
  {
    line: "total",
    blockchain: "one",
    asset: "ETH",
    decimals: 18,
    opening: "1",
    closing: "1.5",
    entries: 1,
    by_type: { deposit: "0.5" },
  },
  { line: "count", holdings: 1, entries: 1, unpriced: 0 },
];

const signature = { key_id: "0123456789abcdef", algorithm: "ed25519", value: "c2ln" };

/** The lines with their end. */
function ended(some: readonly object[]) {
  const covered = some.map((line) => `${canonicalJson(line)}\n`).join("");
  const digest = createHash("sha256").update(covered).digest("hex");
  const text = `${covered}${canonicalJson({ line: "end", digest, signature })}\n`;
  return { covered, digest, text };
}

type Ended = ReturnType<typeof ended>;

const { covered, digest, text } = ended(lines);

const own = newSigningKey((plain) => plain);

/** The same lines, which a key has signed. */
function signedByKey(): string {
  const { keyId, value } = signatureOf(own.ciphertext, signedText("statement", digest));
  const by = { key_id: keyId, algorithm: "ed25519", value };
  return `${covered}${canonicalJson({ line: "end", digest, signature: by })}\n`;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-form-1-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function given(
  format: "jsonl" | "csv" | "html" | "parquet",
  of: Pick<Ended, "digest" | "text"> = { digest, text },
): Promise<Buffer> {
  async function* texts() {
    yield of.text;
  }
  const signed = {
    digest: of.digest,
    signature: { keyId: signature.key_id, value: signature.value },
  };
  const parts: Uint8Array[] = [];
  for await (const part of statementIn(format, signed, texts())) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

// As they were made before form 2: a closed month has the digests of its files in its index.
test.each([
  ["csv", "7142440e92169222e8c7c95c5e6cdf2d2ec07ccbffca87c8dc40aad370fff7d8"],
  ["html", "679fb69752ae6a4e6e5427e2a396b9b9737693ad906b2efcda1df2ef043c572b"],
  ["parquet", "490aaf472d0e51d71050e01f1a742e00c18417bb0bd9720ee2073315d6aa3917"],
] as const)("form 1 as %s is what it was, byte for byte, and verifies", async (format, was) => {
  const bytes = await given(format);
  const [file, against] = [join(folder, `given.${format}`), join(folder, "signed.jsonl")];
  writeFileSync(file, bytes);
  writeFileSync(against, text);
  expect(await verifyFile({ file, against, key: null })).toMatchObject({ entries: 1, wrong: [] });
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(was);
});

test("a page with a byte more is another one", async () => {
  const [file, against] = [join(folder, "longer.html"), join(folder, "right.jsonl")];
  writeFileSync(against, text);
  // A part of a sign: a decoder waits for the rest of it.
  writeFileSync(file, Buffer.concat([await given("html"), Buffer.from([0xc3])]));
  const { wrong } = await verifyFile({ file, against, key: null });
  expect(wrong).toEqual([expect.stringContaining("of the page is")]);
});

test("a table of form 1 adds up by itself", async () => {
  const file = join(folder, "alone.csv");
  writeFileSync(file, await given("csv"));
  expect(await verifyFile({ file, against: null, key: null })).toMatchObject({
    entries: 1,
    wrong: [],
  });
});

test("a statement that its key has signed is right, and of another key wrong", async () => {
  const file = join(folder, "own.jsonl");
  writeFileSync(file, signedByKey());
  const verb = (key: string) =>
    statementVerify.cli?.run({ verifyStatementFile: verifyFile }, { file, key });
  expect(await verb(own.publicKey)).toEqual({
    answer: { file, verdict: "right", entries: 1, balances: 1, findings: [] },
    hasFindings: false,
    isUnfinished: false,
  });
  const other = newSigningKey((plain) => plain);
  expect(await verb(other.publicKey)).toMatchObject({
    answer: {
      verdict: "wrong",
      findings: [{ finding: "wrong", what: `it is signed by key ${own.id}, not by ${other.id}` }],
    },
    hasFindings: true,
  });
});

test.each([
  ["after its period", "2026-11-01T00:00:00.000Z", []],
  ["within its period", "2026-10-15T00:00:00.000Z", ["the end of the period"]],
])("a statement without a chain that was made %s lacks what it should", async (_, madeAt, ends) => {
  const [head, ...others] = lines;
  const count = { ...others.at(-1), holdings: 0, entries: 0 };
  const chainless = ended([{ ...head, made_at: madeAt }, count]);
  const missing = [...ends, "a public key from elsewhere (--key)"];
  const signed = join(folder, "chainless.jsonl");
  writeFileSync(signed, chainless.text);
  const right = { entries: 0, holdings: 0, wrong: [], missing };
  expect(await verifyFile({ file: signed, against: null, key: null })).toEqual(right);
  for (const format of ["csv", "html", "parquet"] as const) {
    const file = join(folder, `chainless.${format}`);
    writeFileSync(file, await given(format, chainless));
    expect(await verifyFile({ file, against: signed, key: null })).toEqual(right);
  }
});

test("a balance on a chain without a line is wrong", async () => {
  const file = join(folder, "lost.jsonl");
  writeFileSync(file, ended(lines.filter(({ line }) => line !== "chain")).text);
  const { wrong } = await verifyFile({ file, against: null, key: null });
  expect(wrong).toContain("line 2: chain one has no line");
});

test("signed lines of which one byte is another, more or missing are found", async () => {
  const [file, signed] = [join(folder, "changed.jsonl"), Buffer.from(signedByKey())];
  const changes: [string, Buffer][] = [];
  for (const at of signed.keys()) {
    // Every byte of the last line, which no digest covers, and some of the others.
    if (at < covered.length && at % 13 !== 0) continue;
    const [before, after] = [signed.subarray(0, at), signed.subarray(at + 1)];
    const another = Buffer.of((signed[at] ?? 0) ^ 1);
    changes.push([`byte ${at} is another`, Buffer.concat([before, another, after])]);
    changes.push([`byte ${at} is more`, Buffer.concat([before, another, signed.subarray(at)])]);
    const blank = Buffer.from(" ");
    changes.push([`byte ${at} is a blank`, Buffer.concat([before, blank, signed.subarray(at)])]);
    // A file may lose its last line feed.
    if (after.length > 0) changes.push([`byte ${at} is missing`, Buffer.concat([before, after])]);
  }
  const accepted: string[] = [];
  for (const [what, bytes] of changes) {
    writeFileSync(file, bytes);
    const { wrong } = await verifyFile({ file, against: null, key: own.publicKey });
    if (wrong.length === 0) accepted.push(what);
  }
  expect(accepted).toEqual([]);
});
