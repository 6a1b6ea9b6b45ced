import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAdministration } from "../../../src/app/operator.ts";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { beginningOfAudit, macOf, placeAfter } from "../../../src/domain/evidence/audit-chain.ts";
import { idAt } from "../../../src/domain/id.ts";
import { chainAudit } from "../../../src/ledger/businesses/audit-chain.ts";
import { Prisma } from "../../../src/ledger/generated/client.ts";
import { auditArchive } from "../../../src/operator/audit/archive.ts";
import { auditVerify } from "../../../src/operator/audit/verify.ts";
import type { ShowProgress, VerbBindings } from "../../../src/operator/verb-bindings.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { allTests } from "../../support/each-test.ts";
import { changeJournal } from "../../support/ledger/change-journal.ts";
import { testAuditKey } from "../../support/ledger/database.ts";
import { keepRows } from "../../support/ledger/keep-rows.ts";
import { openTestLedger } from "../../support/ledger/ledger-fixtures.ts";

const ledger = allTests(
  () => openTestLedger(),
  (one) => one.stop(),
);

/** More than one batch of them is old. */
const [old, all] = [1_100, 1_105];
const cut = "2026-01-01";
const startMs = Date.parse(cut) - old * 60_000;

let folder: string;
let file: string;
/** Makes the trail whole again. */
let refill: () => Promise<void>;

beforeAll(async () => {
  await fill();
  refill = await keepRows(ledger.db);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-archive-"));
  file = join(folder, "audit.jsonl");
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await refill();
});

/** A trail with an entry a minute, of which the last five are not older than the cut. */
async function fill(): Promise<void> {
  const data: Prisma.AuditEntryCreateManyInput[] = [];
  const places: Prisma.AuditPlaceCreateManyInput[] = [];
  let place = beginningOfAudit;
  for (let index = 0; index < all; index += 1) {
    const at = new Date(startMs + index * 60_000);
    const details = { b: 1, a: [{ d: index, c: "é\n" }] };
    const who = { actor: "ops", via: "http", address: "127.0.0.1", businessId: null };
    const entry = { id: idAt(at.getTime(), index), at, ...who, action: "x.y", subject: null };
    const mac = macOf(testAuditKey, { ...entry, details });
    place = placeAfter(place, { ...entry, details, mac });
    data.push({ ...entry, details, mac });
    places.push({ ...place, entryId: entry.id });
  }
  await changeJournal(ledger.db, async (tx) => {
    await tx.auditEntry.deleteMany();
    await tx.auditPlace.deleteMany();
  });
  await ledger.db.auditArchive.deleteMany();
  await ledger.db.auditEntry.createMany({ data });
  await ledger.db.auditPlace.createMany({ data: places });
  await ledger.db.auditWaiting.deleteMany();
}

const by = { name: "ops", via: "cli", address: null } as const;
const showProgress: ShowProgress = () => ({ update: () => {}, end: () => {} });

function ports() {
  const { ledger: verbs, audited } = createAdministration(ledger.db, by, null);
  const { read, write } = lineFiles;
  return { ledger: verbs, audited, lineFiles: { read, write }, clock, showProgress };
}

/** The same, of a process that is killed when it calls something for the nth time. */
function killedAt(nth: number): ReturnType<typeof ports> {
  const { ledger: verbs, audited, ...others } = ports();
  let calls = 0;
  const count =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      calls += 1;
      if (calls >= nth) throw new Error("killed");
      return call(...args);
    };
  return {
    ...others,
    audited: count(audited) as typeof audited,
    lineFiles: { read: count(lineFiles.read), write: count(lineFiles.write) },
    ledger: {
      ...verbs,
      planArchive: count(verbs.planArchive),
      readChained: count(verbs.readChained),
      isArchived: count(verbs.isArchived),
      removeArchived: count(verbs.removeArchived),
    },
  };
}

async function run(
  verb: Pick<VerbBindings<never, ReturnType<typeof ports>>, "cli">,
  given: object,
  on = ports(),
) {
  const ended = await verb.cli?.run(on, { ...given });
  return ended?.answer as Record<string, unknown>;
}

const archive = (on = ports(), to = file, before = cut) => run(auditArchive, { before, to }, on);
const verify = (given: { head?: string; archive?: string } = {}) => run(auditVerify, given);

/** The places of the entries that are here, as soon as each has one. */
async function here(): Promise<bigint[]> {
  await chainAudit(ledger.db);
  const rows = await ledger.db.$queryRaw<{ seq: bigint }[]>`
    SELECT p.seq FROM audit_entry e JOIN audit_place p ON p.entry_id = e.id ORDER BY p.seq`;
  return rows.map(({ seq }) => seq);
}

const entryAt = (seq: number) =>
  Prisma.sql`id = (SELECT entry_id FROM audit_place WHERE seq = ${seq})`;
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
const inFile = (): bigint[] =>
  readdirSync(folder).length === 0
    ? []
    : linesOf(file)
        .slice(1)
        .map((line) => BigInt(JSON.parse(line).seq));

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => BigInt(first + index));

describe("archiving the audit trail", () => {
  it("moves what is older into a file, and what is left is a chain; on record, once", async () => {
    const { head } = await verify();
    expect(await archive()).toMatchObject({
      file,
      entries: old,
      removed: old,
      after: expect.stringMatching(/^0:/),
    });
    expect(inFile()).toEqual(upTo(old));
    // The entry of the archive itself is the last.
    expect(await here()).toEqual(upTo(all + 1, old + 1));
    expect(await ledger.db.auditEntry.findFirst({ orderBy: { id: "desc" } })).toMatchObject({
      action: "audit.archive",
      details: { file, first: "1", last: String(old) },
    });
    expect(await verify()).toMatchObject({ whole: true, finding: null });
    expect(await verify({ head: String(head) })).toMatchObject({ whole: true });
    expect(await verify({ archive: file })).toMatchObject({ whole: true });
    expect(await archive()).toMatchObject({ entries: old, removed: 0 });
    expect(await here()).toHaveLength(all + 1 - old);
  });

  it("loses nothing and does nothing twice, wherever it is killed and begun again", async () => {
    let nth = 1;
    for (; ; nth += 1) {
      const isDone = await archive(killedAt(nth)).then(
        () => true,
        () => false,
      );
      const [left, kept] = [await here(), inFile()];
      expect([...new Set([...kept, ...left])].slice(0, all), `killed at ${nth}`).toEqual(upTo(all));
      expect(await verify()).toMatchObject({ whole: true });
      if (isDone) break;
      expect(await archive()).toMatchObject({ entries: old });
      expect(inFile()).toEqual(upTo(old));
      expect(await here()).toEqual(upTo(all + 1, old + 1));
      expect(readdirSync(folder)).toEqual(["audit.jsonl"]);
      rmSync(file);
      await refill();
    }
    // Each of its steps, and each batch of both kinds.
    expect(nth).toBeGreaterThan(9);
  });

  it("goes on in another file, and says that one is done with", async () => {
    await archive();
    const later = new Date(startMs + all * 60_000).toISOString();
    await expect(archive(ports(), file, later)).rejects.toThrow("is done with");
    const next = join(folder, "next.jsonl");
    expect(await archive(ports(), next, later)).toMatchObject({
      entries: all - old,
      removed: all - old,
    });
    for (const one of [file, next])
      expect(await verify({ archive: one })).toMatchObject({ whole: true, finding: null });
    expect(await archive(ports(), join(folder, "none.jsonl"), later)).toMatchObject({ file: null });
    expect(readdirSync(folder).sort()).toEqual(["audit.jsonl", "next.jsonl"]);
  });

  it("of two at once one counts, and no entry is in neither file", async () => {
    const second = join(folder, "second.jsonl");
    const earlier = new Date(startMs + 500 * 60_000).toISOString();
    const ended = await Promise.allSettled([archive(), archive(ports(), second, earlier)]);
    expect(ended.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    expect(await verify()).toMatchObject({ whole: true });
    const kept = new Set([...inFile(), ...(await here())]);
    expect([...kept].slice(0, all)).toEqual(upTo(all));
  });

  it("removes nothing where the trail was changed, before or since, nor for a file that is something else", async () => {
    writeFileSync(file, "a letter\n");
    await expect(archive()).rejects.toThrow("the file is no archive");
    expect(readFileSync(file, "utf8")).toBe("a letter\n");
    rmSync(file);
    const refused = { code: "invalid_request" };
    await expect(archive(ports(), file, "2999-01-01")).rejects.toMatchObject(refused);
    await expect(archive(ports(), join(folder, "none", "x"))).rejects.toMatchObject(refused);

    const rename = (actor: string) =>
      changeJournal(
        ledger.db,
        (tx) => tx.$executeRaw`UPDATE audit_entry SET actor = ${actor} WHERE ${entryAt(1_001)}`,
      );
    await rename("somebody");
    await expect(archive()).rejects.toThrow("entry 1001 of the file was changed");
    expect(readdirSync(folder)).toEqual([]);
    expect(await here()).toEqual(upTo(all));
    await rename("ops");

    // It is on record, and nothing is removed yet.
    await archive(killedAt(8)).catch(() => {});
    expect(await here()).toHaveLength(all + 1);
    await ledger.db.$executeRaw`DELETE FROM audit_entry WHERE ${entryAt(1_050)}`;
    await expect(archive()).rejects.toMatchObject({ code: "invariant_broken" });
    expect(await here()).toContain(1_051n);
  });
});

describe("an archive", () => {
  it("shows what was changed in it or cut off, and a head that was written down", async () => {
    await archive();
    const lines = linesOf(file);
    const expectFound = async (edited: string[], finding: string) => {
      writeFileSync(file, `${edited.join("\n")}\n`);
      const verdict = await verify({ archive: file });
      expect(verdict).toMatchObject({ whole: false, finding: expect.stringContaining(finding) });
    };
    const without = (gone: number) => lines.filter((_, index) => index !== gone);
    const changed = lines.map((line) => line.replace('"d":41', '"d":42'));
    const torn = lines.map((line, index) => (index === 3 ? line.slice(0, 40) : line));
    await expectFound(changed, "entry 42 of the file was changed");
    await expectFound(without(10), "entry 10 of the file is missing");
    await expectFound(torn, "entry 3 of the file cannot be read");
    await expectFound(lines.slice(0, -1), "is not a part of this trail");
    await expectFound(lines.slice(0, 1), "holds no entry");

    writeFileSync(file, `${lines.join("\n")}\n`);
    const [entry, last] = [lines[100], lines.at(-1)].map((line) => JSON.parse(line ?? ""));
    const [head, wrong] = [`${entry.seq}:${entry.hash}`, `${entry.seq}:${"0".repeat(64)}`];
    await expect(verify({ head })).rejects.toThrow("was archived. Name the file");
    expect(await verify({ head, archive: file })).toMatchObject({ whole: true });
    expect(await verify({ head: wrong, archive: file })).toMatchObject({ whole: false });
    expect(await verify({ head: `${last.seq}:${last.hash}` })).toMatchObject({ whole: true });
    expect(await verify({ head: `${last.seq}:${"0".repeat(64)}` })).toMatchObject({ whole: false });

    const who = { id: entry.id, at: entry.at, actor: "x", via: "cli", action: "x.y", details: {} };
    await ledger.db.auditEntry.create({ data: who });
    await ledger.db.auditPlace.create({ data: { seq: 100n, hash: entry.hash, entryId: who.id } });
    const finding = "entry 100 was archived and stands here again";
    expect(await verify()).toMatchObject({ whole: false, finding });
  });
});
