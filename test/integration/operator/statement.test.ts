import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyStatement } from "../../../scripts/statement/verify.ts";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { openStatement } from "../../../src/ledger/evidence/account-statement.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { statement } from "../../../src/operator/ledger/statement.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer, wallet } from "../../support/chain/cast.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keyringOf } from "../../support/keyring.ts";

let anvil: Anvil;
let watched: WatchedChain;
let folder: string;
let files = 0;

// The chain begins at 22:13:20.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-statement-"));
  anvil = await startAnvil({ args: ["--timestamp", "1700000000"] });
  watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 1 });
  await watched.catchUp();
});

afterEach(async () => {
  await watched.stop();
  await anvil.stop();
  rmSync(folder, { recursive: true });
});

/** A block at a time of that day. */
async function mineAt(time: string): Promise<void> {
  await anvil.rpc("evm_setNextBlockTimestamp", Date.parse(`2023-11-14T${time}Z`) / 1000);
  await anvil.mine(1);
  await watched.catchUp();
}

/** A deposit in a block of its own, which anvil makes at that time of the day. */
async function depositAt(time: string, amountAtomic: bigint): Promise<void> {
  await anvil.rpc("evm_setNextBlockTimestamp", Date.parse(`2023-11-14T${time}Z`) / 1000);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
  await watched.catchUp();
}

/** Its opening is read before anything is paid to it. */
async function addWallet(): Promise<string> {
  const walletId = await watched.addWallet(wallet);
  await watched.catchUp();
  return walletId;
}

type Line = Record<string, unknown> & { line: string };

async function write(from: string, to: string, more: { format?: string; wallet?: string } = {}) {
  files += 1;
  const out = join(folder, `${files}.jsonl`);
  const ports = {
    ledger: bind(watched.db, { openStatement }),
    lineFiles,
    clock: systemClock,
    ...createSigning({ db: watched.db, config: { encryptionKeys: keyringOf(7) } }),
  };
  const given = {
    business: watched.businessId,
    from: `2023-11-14T${from}:00Z`,
    to: `2023-11-14T${to}:00Z`,
    out,
    ...more,
  };
  const outcome = await statement.cli?.run(ports, given);
  const texts = readFileSync(out, "utf8").split(/\r?\n/).slice(0, -1);
  return { outcome, texts, out };
}

async function verified(texts: readonly string[]) {
  const [key] = await listSigningKeys(watched.db);
  return verifyStatement(texts, key?.publicKey ?? null);
}

const linesOf = (texts: readonly string[]) => texts.map((text): Line => JSON.parse(text));

const told = (texts: readonly string[]) =>
  linesOf(texts)
    .filter(({ line }) => ["opening", "entry", "closing"].includes(line))
    .map(({ line, type, amount_atomic, prior_period }) =>
      line === "entry" ? [type, amount_atomic, prior_period] : [line, amount_atomic],
    );

describe("a statement", () => {
  it("has what the journal has between two cutoffs, and the next one begins where it ends", async () => {
    const walletId = await addWallet();
    await depositAt("22:14:00", 5n);
    await depositAt("22:29:59", 7n);
    await depositAt("22:30:00", 11n);
    await mineAt("22:46:00");
    const first = await write("22:00", "22:30");
    expect(told(first.texts)).toEqual([
      ["opening", "0"],
      ["opening", "0", false],
      ["deposit", "5", false],
      ["deposit", "7", false],
      ["closing", "12"],
    ]);
    const second = await write("22:30", "22:45", { wallet: walletId });
    expect(told(second.texts)).toEqual([
      ["opening", "12"],
      ["deposit", "11", false],
      ["closing", "23"],
    ]);
    const [, chain] = linesOf(first.texts);
    const { hash } = await anvil.block(2);
    expect(chain?.["closing"]).toMatchObject({ block: 2, block_hash: hash, final: true });
    expect(linesOf(second.texts)[1]?.["opening"]).toEqual(chain?.["closing"]);
    expect(await verified(second.texts)).toEqual({
      entries: 1,
      holdings: 1,
      wrong: [],
      missing: [],
    });
    expect(first.outcome).toMatchObject({ answer: { final: true, entries: 3 } });
  });

  it("has a deposit that is reversed after its period as a line of a prior period", async () => {
    await addWallet();
    const before = await anvil.snapshot();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30");
    await anvil.revert(before);
    for (const time of ["22:14:10", "22:31:30", "22:46:00", "22:47:00"]) await mineAt(time);
    // What was said of the first period is said of it again.
    expect(told((await write("22:00", "22:30")).texts)).toEqual(told(first.texts));
    const second = await write("22:30", "22:45");
    expect(told(second.texts)).toEqual([
      ["opening", "5"],
      ["deposit", "-5", true],
      ["closing", "0"],
    ]);
    expect(linesOf(second.texts).find(({ line }) => line === "entry")).toMatchObject({
      kind: "reversal",
      transaction_id: linesOf(first.texts).find(({ type }) => type === "deposit")?.[
        "transaction_id"
      ],
    });
    expect(await verified(second.texts)).toMatchObject({ wrong: [] });
  });

  it("of a period that is not over ends with the last confirmed block, and says so", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:14:30");
    const { texts, outcome } = await write("22:00", "23:00");
    expect(outcome).toMatchObject({ answer: { final: false } });
    expect(told(texts).at(-1)).toEqual(["closing", "5"]);
    expect(linesOf(texts)[1]?.["closing"]).toMatchObject({ block: 2, final: false });
    expect((await verified(texts)).missing).toEqual(["anvil: the end of the period"]);
  });

  it("is added up page by page where a wallet has more entries than one statement reads", async () => {
    const walletId = await addWallet();
    await depositAt("22:14:00", 5n);
    await watched.db.$executeRaw`
      INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, transaction_id, kind, amount, block_number
      FROM ledger_entry, generate_series(1, 4500) WHERE transaction_id IS NOT NULL`;
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30", { wallet: walletId });
    expect(await verified(texts)).toMatchObject({ entries: 4_502, wrong: [] });
    expect(told(texts).at(-1)).toEqual(["closing", "22505"]);
  });

  it("is refused by its verifier after any change", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30");
    expect(await verified(texts)).toMatchObject({ wrong: [] });
    for (const place of texts.keys()) {
      const without = texts.filter((_, index) => index !== place);
      expect((await verified(without)).wrong).not.toEqual([]);
      const twice = texts.toSpliced(place, 0, texts[place] ?? "");
      expect((await verified(twice)).wrong).not.toEqual([]);
      const digits = texts.with(place, (texts[place] ?? "").replace(/\d(?=\D*$)/, "x"));
      expect((await verified(digits)).wrong).not.toEqual([]);
    }
    // Also where its digest was made to fit, it does not add up.
    const changed = texts.map((text) =>
      text.replaceAll('"amount_atomic":"5"', '"amount_atomic":"6"'),
    );
    expect((await verified(changed)).wrong.join()).toContain("is not 6 with 18 decimals");
  });

  it("is a table with the same rows as CSV", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30");
    const { texts: rows } = await write("22:00", "22:30", { format: "csv" });
    expect(rows[0]).toMatch(/^line,blockchain,wallet_id,/);
    expect(rows.slice(1).map((row) => row.split(",")[0])).toEqual(
      linesOf(texts).map(({ line }) => line),
    );
    // In quotes: a spreadsheet keeps 15 digits of a number.
    expect(rows.filter((row) => row.includes(",0.000000000000000005,"))).toHaveLength(2);
  });
});
