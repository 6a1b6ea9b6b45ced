import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createPrinter } from "../../../src/bin/cli/print-page.ts";
import { canonicalJson } from "../../../src/domain/evidence/canonical-json.ts";
import { faultIn } from "../../../src/domain/fault.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { statementGet } from "../../../src/operator/statement/get.ts";
import { statementMake } from "../../../src/operator/statement/make.ts";
import { statementVerify } from "../../../src/operator/statement/verify.ts";
import { verifyFile } from "../../../src/verifying/verify-file.ts";
import { openPage, startBrowser } from "../../support/console/browser.ts";
import { chromiumProgram } from "../../support/console/chromium-program.ts";
import {
  insertBusiness,
  newWallet,
  openTestLedger,
  type TestLedger,
  testChain,
} from "../../support/ledger/ledger-fixtures.ts";
import { statementPorts } from "../../support/ledger/statement-ports.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

const chromium = chromiumProgram();

// The forms of one statement, whose labels are a stranger's.

let ledger: TestLedger;
let folder: string;
let key: string;
let id: string;
let make: (asked: { chromium: string; out: string }) => Promise<unknown> | undefined;
let get: (asked: {
  format?: string;
  pdf?: string;
  chromium?: string;
  out: string;
}) => Promise<unknown> | undefined;
const file = (name: string) => join(folder, name);

const labels = [
  '=cmd|"/c calc"!A1',
  '\'quoted, "twice"',
  "</bdi><script>alert(1)</script>",
  "\u202Eשלום\u2028next",
];

beforeAll(async () => {
  ledger = await openTestLedger();
  folder = mkdtempSync(join(tmpdir(), "chainbell-forms-"));
  const business = await insertBusiness(ledger.db, "=Business & Sons");
  const assets = [{ code: "ETH", address: "native", decimals: 18, kind: "exact" }] as const;
  const chain = { ...testChain, name: "one", chainId: 901, assets };
  await configureChains(ledger.db, [chain], "removed");
  const one = await writtenChain(ledger.db, "one");
  const wallets = [];
  for (const [place, label] of labels.entries()) {
    const wallet = newWallet({ chainName: "one", label, reference: `-${place}` });
    const [added] = await addWallets(ledger.db, { businessId: business, wallets: [wallet] });
    wallets.push({ businessId: business, walletId: added?.id ?? "", address: wallet.address });
  }
  for (let block = 0; block < 5; block += 1)
    await one.commit(wallets.map((to) => ({ ...to, effectAtomic: 10n ** 30n + BigInt(block) })));
  const ports = statementPorts(ledger.db, chromium);
  const period = { from: "2020-01-01", to: "2100-01-01", isAnew: false };
  const out = file("signed.jsonl");
  await statementMake.cli?.run(ports, { business, ...period, format: "jsonl", out });
  id = JSON.parse(readFileSync(out, "utf8").split("\n")[0] ?? "").id;
  for (const format of ["csv", "html", "parquet"])
    await statementGet.cli?.run(ports, { id, format, out: file(`given.${format}`) });
  const printedBy = (program: string | undefined) => ({
    ...ports,
    printer: createPrinter(program ?? chromium ?? null),
  });
  get = ({ chromium: by, ...asked }) =>
    statementGet.cli?.run(printedBy(by), { id, format: "jsonl", ...asked });
  make = ({ chromium: by, ...asked }) => {
    const anew = { business, ...period, isAnew: true, format: "jsonl", pdf: "a4" };
    return statementMake.cli?.run(printedBy(by), { ...anew, ...asked });
  };
  const [signing] = await listSigningKeys(ledger.db);
  key = signing?.publicKey ?? "";
});

afterAll(async () => {
  await ledger.stop();
  rmSync(folder, { recursive: true });
});

function verify(text: string, against: string | null) {
  writeFileSync(file("changed"), text);
  return verifyFile({ file: file("changed"), against, key });
}

test("each form is verified, and adds up by itself", async () => {
  const against = file("signed.jsonl");
  const expected = { wrong: [], entries: 12, holdings: 4 };
  for (const name of ["signed.jsonl", "given.csv"])
    expect(await verifyFile({ file: file(name), against: null, key })).toMatchObject(expected);
  for (const name of ["signed.jsonl", "given.csv", "given.html", "given.parquet"])
    expect(await verifyFile({ file: file(name), against, key })).toMatchObject(expected);
  // A page or Parquet alone has the digest, and not what it is of.
  for (const name of ["given.html", "given.parquet"]) {
    const alone = await verifyFile({ file: file(name), against: null, key });
    expect([alone.wrong, alone.missing.length]).toEqual([[], 1]);
  }
  // Added up here: what came in, in the table and in the page.
  const [head, ...rows] = tableIn(readFileSync(file("given.csv"), "utf8"));
  const [line, amount] = [head?.indexOf("line") ?? 0, head?.indexOf("amount") ?? 0];
  const sumOf = (kind: string) =>
    rows.filter((row) => row[line] === kind).reduce((sum, row) => sum + atomic(row[amount]), 0n);
  expect(sumOf("opening") + sumOf("entry")).toBe(sumOf("closing"));
  const page = readFileSync(file("given.html"), "utf8");
  const shown = [...page.matchAll(/<tbody><tr><td>[^\n]*?<\/td><td>[^\n]*?<\/td><td>(.*?)<\/td>/g)]
    .map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, ""))
    .filter((text) => /^[\d.]+$/.test(text));
  expect(shown).toHaveLength(12);
  expect(shown.reduce((sum, text) => sum + atomic(text), 0n)).toBe(sumOf("entry"));
});

function tableIn(text: string): string[][] {
  return parse(text);
}

function atomic(decimal = "0"): bigint {
  const [whole = "", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}

const csvOf = (rows: readonly string[][]) =>
  rows
    .map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\r\n`)
    .join("");

const answer = z.object({
  verdict: z.enum(["right", "wrong", "incomplete"]),
  entries: z.int(),
  findings: z.array(z.object({ finding: z.string(), what: z.string() })),
});

/** What the verb says of a file. */
async function verb(name: string, against?: string) {
  const given = { file: file(name), key, against };
  const outcome = await statementVerify.cli?.run({ verifyStatementFile: verifyFile }, given);
  const { verdict, entries, findings } = answer.parse(outcome?.answer);
  const said = findings.map(({ finding, what }) => `${finding}: ${what}`);
  return { verdict, entries, said, hasFindings: outcome?.hasFindings };
}

describe("the verb", () => {
  const statement = () => readFileSync(file("signed.jsonl"), "utf8");
  const whole = { verdict: "incomplete", entries: 12, hasFindings: true };
  // The period has not ended, and the openings are unknown: nothing else is said of right files.
  const ofPeriod = expect.stringMatching(/^missing: one(: | ETH of wallet )/);

  test.each(["signed.jsonl", "given.csv", "given.html", "given.parquet"])(
    "finds nothing wrong in %s",
    async (name) => {
      const { said, ...verdict } = await verb(name, file("signed.jsonl"));
      expect(verdict).toEqual(whole);
      for (const one of said) expect(one).toEqual(ofPeriod);
    },
  );

  test.each([
    ["jsonl", "signed.jsonl", /^wrong: line 4: label is "mine", and was signed as "/],
    ["csv", "given.csv", /^wrong: line 4: label is "mine", and was signed as "/],
    ["html", "given.html", /^wrong: line \d+ of the page is /],
    ["parquet", "given.parquet", /^wrong: the table is another one /],
  ])("names the difference in %s", async (form, name, expected) => {
    const bytes = readFileSync(file(name));
    writeFileSync(file("changed"), changedIn(form, bytes));
    const { verdict, said, hasFindings } = await verb("changed", file("signed.jsonl"));
    expect({ verdict, hasFindings }).toEqual({ verdict: "wrong", hasFindings: true });
    expect(said.filter((one) => one.startsWith("wrong"))).toEqual([
      expect.stringMatching(expected),
    ]);
  });

  test("says of an amount where the sum and the digest differ", async () => {
    const lines = statement().split("\n");
    const place = lines.findIndex((line) => line.includes('"line":"entry"'));
    const changed = (lines[place] ?? "").replace(/"amount_atomic":"\d/, '"amount_atomic":"9');
    writeFileSync(file("changed"), lines.with(place, changed).join("\n"));
    const { verdict, said } = await verb("changed");
    expect(verdict).toBe("wrong");
    expect(said.join("\n")).toContain(`line ${place + 1}: `);
    expect(said.join("\n")).toContain("the digest is ");
  });

  test("makes nothing of a statement that is wrong itself", async () => {
    const cut = statement().slice(0, -200);
    for (const text of [cut, "", "{", cut.replaceAll('"id"', '"it"'), `${cut}\nnull\n`]) {
      writeFileSync(file("cut.jsonl"), text);
      for (const name of ["signed.jsonl", "given.csv", "given.html", "given.parquet"]) {
        const { verdict, said } = await verb(name, file("cut.jsonl"));
        expect(verdict).toBe("wrong");
        expect(said.join("\n")).toContain("missing: a right statement to hold ");
      }
    }
  });

  test("finds a line that is written otherwise, and one that is none", async () => {
    for (const [text, expected] of [
      [statement().replace('{"', '{ "'), "line 1: it is written otherwise than it was signed"],
      [statement().replace("{", "["), "line 1: it is no line of a statement"],
    ] as const) {
      writeFileSync(file("changed"), text.replace(/^\[/, "{["));
      expect((await verb("changed", file("signed.jsonl"))).said).toContain(`wrong: ${expected}`);
    }
  });
});

/** A file of this form, of which one thing that was signed is another. */
function changedIn(form: string, bytes: Buffer): Buffer {
  if (form === "parquet") return Buffer.from(bytes.map((byte, at) => (at === 99 ? ~byte : byte)));
  const text = bytes.toString();
  if (form === "html") return Buffer.from(text.replace(/entry \d+/, "entry 0"));
  if (form === "csv") {
    const rows = tableIn(text);
    const place = rows[0]?.indexOf("label") ?? 0;
    return Buffer.from(csvOf(rows.with(4, (rows[4] ?? []).with(place, "mine"))));
  }
  const lines = text.split("\n");
  const line = { ...JSON.parse(lines[3] ?? ""), label: "mine" };
  return Buffer.from(lines.with(3, JSON.stringify(line)).join("\n"));
}

test("every cell of a table that is changed is found, and named against the statement", async () => {
  const rows = tableIn(readFileSync(file("given.csv"), "utf8"));
  expect((await verify(csvOf(rows), null)).wrong).toEqual([]);
  const head = rows[0] ?? [];
  const kinds = new Set<string>();
  for (const [number, row] of rows.entries()) {
    const kind = row[0] ?? "";
    // One line of each kind, and two of entries.
    if (number > 0 && kinds.has(kind) && number % 7 !== 0) continue;
    kinds.add(kind);
    for (const [place, cell] of row.entries()) {
      for (const changed of [`${cell}1`, cell.slice(0, -1), cell.slice(1), `'${cell}`].filter(
        (one) => one !== cell,
      )) {
        const text = csvOf(rows.with(number, row.with(place, changed)));
        const { wrong } = await verify(text, null);
        expect(wrong, `${kind} ${head[place]} ${changed}`).not.toEqual([]);
        if (number === 0 || head[place] === "line" || head[place] === "more") continue;
        const named = await verify(text, file("signed.jsonl"));
        expect(named.wrong.join("\n")).toContain(`line ${number}: `);
        expect(named.wrong.join("\n")).toContain(head[place]);
      }
    }
  }
  const more: unknown = JSON.parse(rows[1]?.at(-1) ?? "");
  const twice = (rows[1] ?? []).with(-1, canonicalJson(Object.assign({ line: "end" }, more)));
  expect((await verify(csvOf(rows.with(1, twice)), null)).wrong).not.toEqual([]);
  for (const number of rows.keys()) {
    expect((await verify(csvOf(rows.toSpliced(number, 1)), null)).wrong).not.toEqual([]);
    expect(
      (await verify(csvOf(rows.toSpliced(number, 0, rows[number] ?? [])), null)).wrong,
    ).not.toEqual([]);
  }
  expect(
    (await verify(readFileSync(file("given.csv"), "utf8").replace('"', ""), null)).wrong,
  ).not.toEqual([]);
});

test("every line of a page that is changed is found and named", async () => {
  const lines = readFileSync(file("given.html"), "utf8").split("\n");
  const against = file("signed.jsonl");
  for (const [place, line] of lines.entries()) {
    const changes = [`${line} `, `${line}<script>alert(1)</script>`, line.replace(/\d/, "x")];
    for (const changed of changes.filter((one) => one !== line)) {
      const { wrong } = await verify(lines.with(place, changed).join("\n"), against);
      expect(wrong.join("\n")).toContain(`line ${place + 1} of the page`);
    }
    const without = await verify(lines.toSpliced(place, 1).join("\n"), against);
    expect(without.wrong).not.toEqual([]);
  }
  expect(lines.join("\n")).not.toContain("<script");
});

test("Parquet has each entry as it was signed, and says which statement it is of", async () => {
  const [head, ...lines] = readFileSync(file("signed.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
  const table = await asyncBufferFromFile(file("given.parquet"));
  const rows = await parquetReadObjects({ file: table });
  const shown = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  expect(rows.map((row) => JSON.parse(JSON.stringify(row, shown)))).toEqual(
    lines
      .filter(({ line }) => line === "entry")
      .map(({ line: _, entry_id, ...entry }) => ({ ...entry, entry_id: Number(entry_id) })),
  );
  const { key_value_metadata } = await parquetMetadataAsync(table);
  const said = new Map(key_value_metadata?.map(({ key, value }) => [key, value]));
  expect(JSON.parse(said.get("chainbell.statement") ?? "")).toEqual(head);
  const end = lines.at(-1);
  expect(said.get("chainbell.sha256")).toBe(end?.["digest"]);
  expect(end?.["signature"]).toMatchObject({
    key_id: said.get("chainbell.key_id"),
    value: said.get("chainbell.signature"),
  });
});

test("Parquet of which one byte is another is found", async () => {
  const bytes = readFileSync(file("given.parquet"));
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file("changed"), bytes);
  const verdict = await verifyFile({ file: file("changed"), against: file("signed.jsonl"), key });
  expect(verdict.wrong).toHaveLength(1);
});

describe.skipIf(chromium === undefined)("a PDF", () => {
  const pdf = (paper: string) => file(`given-${paper}.pdf`);

  beforeAll(async () => {
    for (const paper of ["a4", "letter"]) await get({ pdf: paper, out: pdf(paper) });
  });

  test("has the sheets of its paper, and names its statement", async () => {
    const boxes = ["a4", "letter"].map((paper) => {
      const text = readFileSync(pdf(paper), "latin1");
      expect(text).toContain(`/Title (Statement ${id})`);
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? [];
      return [Math.round(Number(width)), Math.round(Number(height))];
    });
    expect(boxes).toEqual([
      [595, 842],
      [612, 792],
    ]);
    expect(statSync(pdf("a4")).mode & 0o777).toBe(0o600);
  });

  test("is verified by the signature at its end, and against its statement", async () => {
    const against = file("signed.jsonl");
    for (const paper of ["a4", "letter"])
      expect(await verifyFile({ file: pdf(paper), against, key })).toMatchObject({
        entries: 12,
        wrong: [],
      });
    const alone = await verifyFile({ file: pdf("a4"), against: null, key });
    expect([alone.wrong, alone.missing.length]).toEqual([[], 1]);
    const other = Buffer.alloc(32, 1).toString("base64");
    expect((await verifyFile({ file: pdf("a4"), against: null, key: other })).wrong).toHaveLength(
      1,
    );
  });

  test("in which one byte is another, or less, or more, is found: twenty changes", async () => {
    const bytes = readFileSync(pdf("a4"));
    const places = Array.from({ length: 17 }, (_, part) =>
      Math.floor(((part + 1) * (bytes.length - 1)) / 18),
    );
    const changed = [...places, bytes.length - 200].map((place) =>
      Buffer.from(bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))),
    );
    const lengths = [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.from("\n")])];
    const planted = [...changed, ...lengths];
    expect(planted).toHaveLength(20);
    for (const one of planted) {
      writeFileSync(file("changed.pdf"), one);
      const verdict = await verifyFile({ file: file("changed.pdf"), against: null, key });
      expect(verdict.wrong).toHaveLength(1);
    }
  });

  test("of another statement is found", async () => {
    const another = readFileSync(file("signed.jsonl"), "utf8").replace(id, `${id.slice(0, -1)}x`);
    writeFileSync(file("another.jsonl"), another);
    const asked = { file: pdf("a4"), against: file("another.jsonl"), key };
    expect((await verifyFile(asked)).wrong.join()).toContain(`the PDF is of statement ${id}, not`);
  });

  test("says on paper that it is signed itself, and how to verify it", async () => {
    const [seen, program] = [file("seen.html"), file("copies")];
    const script = `for word; do case $word in --print-to-pdf=*) out=\${word#*=};; esac; done
      cp "\${word#file://}" ${seen}
      printf '%%PDF-1.4 /Title (Statement ${id}) %%%%EOF' > "$out"`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await get({ pdf: "a4", chromium: program, out: file("copied.pdf") });
    const shown = async (html: string) => {
      const browser = await startBrowser();
      const { page, close } = await openPage(browser);
      await page.setContent(html);
      const text = await page.locator("footer:visible").allTextContents();
      await close();
      await browser.close();
      return text.join();
    };
    const paper = await shown(readFileSync(seen, "utf8"));
    expect(paper).toContain("The installation has signed the file");
    expect(paper).toContain("verify-statement FILE.pdf --against FILE.jsonl");
    expect(paper).not.toContain("PAGE.html");
    const screen = await shown(readFileSync(file("given.html"), "utf8"));
    expect(screen).toContain("verify-statement PAGE.html");
    expect(screen).not.toContain("FILE.pdf");
  });

  test("of a table is refused, and so is a file that is there", async () => {
    const refused = get({ pdf: "a4", format: "csv", out: file("table.pdf") });
    await expect(refused).rejects.toThrow("must come without --format");
    await expect(get({ pdf: "a4", out: pdf("a4") })).rejects.toThrow("is there already");
    expect(existsSync(file("table.pdf"))).toBe(false);
  });
});

describe("a statement that is to be printed", () => {
  const stored = () => ledger.db.accountStatement.count();

  test("is not made where nothing prints, and where its file cannot be written", async () => {
    const before = await stored();
    const nowhere = make({ chromium: "/nowhere/chromium", out: file("new.pdf") });
    await expect(nowhere).rejects.toThrow("There is no Chromium here (/nowhere/chromium)");
    const [taken, elsewhere] = [file("signed.jsonl"), file("nowhere/new.pdf")];
    await expect(make({ chromium: "/bin/false", out: taken })).rejects.toThrow("is there already");
    await expect(make({ chromium: "/bin/false", out: elsewhere })).rejects.toThrow(
      "its folder does not exist",
    );
    expect(await stored()).toBe(before);
  });

  test("is named where printing fails", async () => {
    const before = await stored();
    const failing = make({ chromium: "/bin/false", out: file("new.pdf") });
    const fault = await Promise.resolve(failing).catch((error: unknown) => faultIn(error));
    const { id: made } = await ledger.db.accountStatement.findFirstOrThrow({
      orderBy: { id: "desc" },
    });
    expect(fault).toMatchObject({ code: "printing_failed", facts: { statement: made } });
    expect(fault).toHaveProperty("message", expect.stringContaining(made));
    expect(await stored()).toBe(before + 1);
    expect(existsSync(file("new.pdf"))).toBe(false);
  });
});
