import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyAttestation } from "../../../scripts/attestation/verify.ts";
import { folderFiles } from "../../../src/bin/cli/folder-files.ts";
import { canonicalJson } from "../../../src/domain/evidence/canonical-json.ts";
import { statementFormats } from "../../../src/domain/evidence/statement-formats.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { verifyFile } from "../../../src/verifying/verify-file.ts";
import {
  close,
  depositAt,
  endNovember,
  endScene,
  filesOf,
  inventing,
  mineAt,
  openScene,
  otherWallet,
  portsOf,
  publicKey,
  scene,
  textOf,
  verify,
  whole,
} from "../../support/ledger/closing-scene.ts";

beforeEach(openScene);
afterEach(endScene);

describe("closing a month", () => {
  it("writes each business's statement and attestation, which hold offline, and lists them", async () => {
    await endNovember();
    expect(await close()).toEqual({
      closed: 2,
      kept: 0,
      unfinished: 0,
      refused: 0,
      open: [],
      not_attested: [],
      hasFindings: false,
      isUnfinished: false,
    });
    const index = JSON.parse(textOf("index.json"));
    expect(textOf("index.json")).toBe(`${canonicalJson(index)}\n`);
    expect(index).toMatchObject({
      from: "2023-11-01T00:00:00.000Z",
      to: "2023-12-01T00:00:00.000Z",
      time_zone: "UTC",
      chains: [{ blockchain: "anvil", status: "compared", compared: 2, not_shown: 0 }],
    });
    const key = await publicKey();
    for (const business of index.businesses) {
      const id = business.business_id;
      expect(filesOf(id)).toEqual(whole);
      expect(business.status).toBe("closed");
      expect(business.chains[0].closing).toMatchObject({ block: 2, final: true });
      for (const { file, sha256, size } of business.files)
        expect(await folderFiles.digest(join(scene.folder, file))).toEqual({ sha256, size });
      const file = join(scene.folder, id, "statement.jsonl");
      const verified = await verifyFile({ file, against: null, key });
      expect(verified).toMatchObject({ wrong: [], missing: [] });
      const attestation = JSON.parse(textOf(`${id}/attestation-anvil.json`));
      expect(attestation.chains[0].block.hash).toBe(business.chains[0].closing.block_hash);
      expect(await verifyAttestation(attestation, key)).toMatchObject({
        wrong: [],
        missing: [],
      });
    }
    expect(await verify()).toEqual({ findings: [], hasFindings: false });
  });

  it("reads the lines of a statement once for each file that it writes", async () => {
    await endNovember();
    const ports = portsOf();
    const { readStatementTexts } = ports.ledger;
    let reads = 0;
    const counted: typeof readStatementTexts = (made) => {
      reads += 1;
      return readStatementTexts(made);
    };
    await close({}, { ...ports, ledger: { ...ports.ledger, readStatementTexts: counted } });
    expect(reads).toBe(2 * keysOf(statementFormats).length);
  });

  it("refuses the business with a held amount, and closes the other", async () => {
    scene.proxy.misbehave(inventing);
    await depositAt("2023-11-20T00:00:00Z", otherWallet, 1n);
    await endNovember();
    const { open, ...counts } = await close();
    expect(counts).toMatchObject({ closed: 1, kept: 0, refused: 1, hasFindings: true });
    expect(new Set(open.map(({ business_id }) => business_id))).toEqual(new Set([scene.other]));
    const held = open.filter(({ kind }) => kind === "held");
    const waiting = await scene.watched.db.transaction.findMany({ where: { status: "pending" } });
    expect(held.map((one) => one["transaction_id"])).toEqual(
      waiting.map(({ id }) => id).toSorted(),
    );
    expect(held.length).toBeGreaterThan(1);
    expect(filesOf(scene.watched.businessId)).toEqual(whole);
  });

  it("refuses the business that differs from the chain, and goes on with it when it agrees", async () => {
    await endNovember();
    await scene.anvil.setBalance(otherWallet, 100n);
    for (const time of ["2023-12-01T00:20:00Z", "2023-12-01T00:21:00Z"]) await mineAt(time);
    const first = await close();
    expect(first).toMatchObject({ closed: 1, refused: 1, hasFindings: true });
    expect(first.open).toMatchObject([
      {
        business_id: scene.other,
        kind: "differs",
        what: expect.stringContaining("the ledger has 0."),
      },
    ]);
    expect(filesOf(scene.watched.businessId)).toEqual(whole);
    expect(readdirSync(scene.folder).toSorted()).toEqual(
      [scene.watched.businessId, "index.json"].toSorted(),
    );
    // One business alone is closed beside what the folder has.
    expect(await close({ business: scene.other })).toMatchObject({ closed: 0, refused: 1 });
    expect(JSON.parse(textOf("index.json")).businesses).toHaveLength(2);
    await scene.anvil.setBalance(otherWallet, 7n);
    for (const time of ["2023-12-01T00:22:00Z", "2023-12-01T00:23:00Z"]) await mineAt(time);
    expect(await close()).toMatchObject({ closed: 1, kept: 1, refused: 0, hasFindings: false });
    expect(filesOf(scene.other)).toEqual(whole);
  });

  it("refuses all while a chain has not confirmed the end, and where the ledger is wrong", async () => {
    await mineAt("2023-11-29T00:00:00Z");
    const early = await close();
    expect(early.open.map(({ kind }) => kind)).toEqual(["period_not_over", "period_not_over"]);
    await endNovember();
    await scene.watched.db
      .$executeRaw`UPDATE balance SET confirmed = confirmed + 1 WHERE confirmed = 5`;
    const wrong = await close();
    expect(wrong).toMatchObject({ closed: 0, refused: 2 });
    expect(new Set(wrong.open.map(({ kind }) => kind))).toContain("ledger_finding");
    await scene.watched.db
      .$executeRaw`UPDATE balance SET confirmed = confirmed - 1 WHERE confirmed = 6`;
    expect(await close()).toMatchObject({ closed: 2, refused: 0, open: [] });
  });

  it("refuses a business without wallets too while a chain has not confirmed the end", async () => {
    await mineAt("2023-11-29T00:00:00Z");
    const idle = await scene.watched.addBusiness();
    const early = await close({ business: idle });
    expect(early).toMatchObject({ closed: 0, refused: 1 });
    expect(early.open).toMatchObject([{ business_id: idle, kind: "period_not_over" }]);
    await endNovember();
    expect(await close({ business: idle })).toMatchObject({ closed: 1, refused: 0 });
  });

  it("leaves what is whole alone, and makes again what is missing", async () => {
    await endNovember();
    await close();
    const before = textOf("index.json");
    // UTC is the zone that is left out, however it is spelled.
    expect(await close({ zone: "etc/utc" })).toMatchObject({ closed: 0, kept: 2, refused: 0 });
    expect(scene.written).toEqual(["index.json"]);
    expect(textOf("index.json")).toBe(before);
    rmSync(join(scene.folder, scene.other, "statement.csv"));
    expect(await verify()).toMatchObject({ hasFindings: true });
    expect(await close()).toMatchObject({ closed: 1, kept: 1, refused: 0 });
    expect(scene.written.filter((name) => name !== "index.json")).toEqual([
      `${scene.other}/statement.csv`,
    ]);
    expect(await verify()).toMatchObject({ hasFindings: false });
  });

  it("finds a file that was changed, and writes over none", async () => {
    await endNovember();
    await close();
    const name = `${scene.other}/statement.csv`;
    appendFileSync(join(scene.folder, name), "one more line\n");
    expect(await verify()).toEqual({
      findings: [{ file: name, what: "was changed" }],
      hasFindings: true,
    });
    const again = await close();
    expect(again).toMatchObject({ kept: 1, refused: 1, hasFindings: true });
    expect(again.open).toMatchObject([{ business_id: scene.other, kind: "file_changed" }]);
    expect(textOf(name)).toMatch(/one more line\n$/);
  });

  it("names each file that the index does not list, wherever it lies", async () => {
    await endNovember();
    await close();
    const [beside, within] = ["notes.txt", `${scene.other}/statement-2.csv`];
    writeFileSync(join(scene.folder, beside), "ask about the fee\n");
    writeFileSync(join(scene.folder, within), "more\n");
    mkdirSync(join(scene.folder, "older", "empty"), { recursive: true });
    symlinkSync("../index.json", join(scene.folder, "older", "link"));
    expect(await verify()).toEqual({
      findings: [within, beside, "older/link"].map((file) => ({
        file,
        what: "is not in the index",
      })),
      hasFindings: true,
    });
    // A run of close leaves them alone.
    expect(await close()).toMatchObject({ kept: 2 });
    for (const name of [beside, within, "older/link"]) rmSync(join(scene.folder, name));
    expect(await verify()).toEqual({ findings: [], hasFindings: false });
  });

  it("refuses the business whose statement is not as it was signed, and closes the other", async () => {
    await endNovember();
    await close({ business: scene.other });
    rmSync(join(scene.folder, "index.json"));
    await scene.watched.db.accountStatementChunk.updateMany({ data: { body: gzipSync("{}\n") } });
    const outcome = await close();
    expect(outcome).toMatchObject({ closed: 1, refused: 1 });
    expect(outcome.open).toMatchObject([{ business_id: scene.other, kind: "ledger_finding" }]);
  });

  it("names a chain that is not configured, and refuses the business with money on it", async () => {
    await endNovember();
    const idle = await scene.watched.addBusiness();
    await scene.watched.addWallet("0x00000000000000000000000000000000000b0b01", "deposit", idle);
    for (const time of ["2023-12-01T00:20:00Z", "2023-12-01T00:21:00Z"]) await mineAt(time);
    const outcome = await close({}, { ...portsOf(), chainNames: [] });
    expect(outcome).toMatchObject({ closed: 1, refused: 2, hasFindings: true });
    expect(outcome.open.map(({ business_id, kind }) => ({ business_id, kind }))).toEqual(
      [scene.other, scene.watched.businessId].map((business_id) => ({
        business_id,
        kind: "chain_not_configured",
      })),
    );
    const named = { blockchain: "anvil", why: "not_configured", what: "anvil is not configured" };
    expect(outcome.not_attested).toEqual([{ business_id: idle, ...named }]);
    const index = JSON.parse(textOf("index.json"));
    expect(index.businesses).toContainEqual(
      expect.objectContaining({ business_id: idle, status: "closed", not_attested: [named] }),
    );
  });

  it("waits for the first balance of an asset, as long as the asset is configured", async () => {
    await endNovember();
    const { db, chainName } = scene.watched;
    await db.$executeRaw`UPDATE wallet SET created_at = '2023-11-01'`;
    const { watchChangeId } = await db.asset.findFirstOrThrow({ where: { chainName } });
    const token = { chainName, code: "DUSD", decimals: 6, kind: "exact", watchChangeId };
    const begun = { ...token, openingAfter: "" };
    const { id } = await db.asset.create({ data: { ...begun, address: otherWallet } });
    const { open } = await close();
    expect(open).toMatchObject(Array(2).fill({ kind: "opening_not_read", asset: "DUSD" }));
    await db.asset.update({ where: { id }, data: { configured: false } });
    expect(await close()).toMatchObject({ closed: 2, open: [] });
  });

  it("is refused for a folder of another month", async () => {
    await endNovember();
    await close();
    await expect(close({ zone: "Europe/Berlin" })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(close({ month: "2023-10" })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
