import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { statementMake } from "../../../src/operator/statement/make.ts";
import { shownStatement } from "../../../src/schema/statement.ts";
import { verifyStatement } from "../../../src/verifying/verify.ts";
import { wallet } from "../../support/chain/cast.ts";
import { eachWatchedChain } from "../../support/chain/each-chain.ts";
import * as timed from "../../support/chain/timed-blocks.ts";
import { eachFolder } from "../../support/each-folder.ts";
import { statementPorts } from "../../support/ledger/statement-ports.ts";
import { archiveWallet } from "../../support/ledger/steps.ts";

// The chain begins at 22:13:20.
const { anvil, watched } = eachWatchedChain({ blocks: 0, depth: 1, firstTime: 1_700_000_000 });
const chain = { anvil, watched };
const folder = eachFolder();
let files = 0;

const onThatDay = (time: string) => `2023-11-14T${time}Z`;
const mineAt = (time: string) => timed.mineAt(chain, onThatDay(time));
const depositAt = (time: string, amountAtomic: bigint) =>
  timed.depositAt(chain, onThatDay(time), { to: wallet, amountAtomic });

type Line = Record<string, unknown> & { line: string };

/** The statement of a business from 22:00 to 22:30. */
async function write(business: string, given: Record<string, unknown> = {}) {
  files += 1;
  const out = folder.pathOf(`${files}.jsonl`);
  const period = { from: onThatDay("22:00:00"), to: onThatDay("22:30:00") };
  const outcome = await statementMake.cli?.run(statementPorts(watched.db), {
    business,
    ...period,
    out,
    ...given,
  });
  const texts = readFileSync(out, "utf8").split("\n").slice(0, -1);
  const lines = texts.map((text): Line => JSON.parse(text));
  return { texts, lines, made: shownStatement.parse(outcome?.answer) };
}

async function verified(texts: readonly string[]) {
  const [key] = await listSigningKeys(watched.db);
  return verifyStatement(texts, key?.publicKey ?? null);
}

it("an address that was added again is counted once in what is watched at the end", async () => {
  const { db, businessId } = watched;
  const ended = await watched.addWallet(wallet);
  await watched.catchUp();
  await depositAt("22:14:00", 5n);
  await mineAt("22:15:00");
  await archiveWallet(db, ended);
  await watched.addWallet(wallet);
  await watched.catchUp();
  await depositAt("22:16:00", 2n);
  await mineAt("22:31:00");
  const endsAt = async (time: string) => {
    await db.wallet.update({ where: { id: ended }, data: { removedAt: onThatDay(time) } });
    const { texts, lines } = await write(businessId, { isAnew: true });
    expect(await verified(texts)).toMatchObject({ wrong: [], missing: [] });
    const total = lines.find(({ line }) => line === "total");
    return { texts, amounts: [total?.["closing"], total?.["closing_watched"]] };
  };
  const atto = "0.0000000000000000";
  const during = await endsAt("22:15:10");
  expect(during.amounts).toEqual([`${atto}12`, `${atto}07`]);
  // What ended after the period was watched at its end.
  expect((await endsAt("22:30:00")).amounts).toEqual([`${atto}12`, `${atto}12`]);
  const changed = during.texts.map((text) =>
    text.replace(`"closing_watched":"${atto}07"`, `"closing_watched":"${atto}12"`),
  );
  expect((await verified(changed)).wrong.join()).toContain("the closing of watched wallets is");
});

it("a business without wallets has no final statement before its period is over", async () => {
  const business = await watched.addBusiness();
  await mineAt("22:14:00");
  expect((await write(business)).made).toMatchObject({ final: false, entries: 0 });
  await watched.addWallet(wallet, "deposit", business);
  await watched.catchUp();
  await depositAt("22:15:00", 5n);
  await mineAt("22:31:00");
  const { lines, made } = await write(business);
  expect(made).toMatchObject({ final: true });
  expect(lines.filter(({ type }) => type === "deposit")).toMatchObject([{ amount_atomic: "5" }]);
  const other = await watched.addBusiness();
  const first = await write(other);
  expect(first.made).toMatchObject({ final: true, entries: 0 });
  expect((await write(other)).texts).toEqual(first.texts);
});

it("a first balance that is not read yet is no matter of a period in which it was not watched", async () => {
  const { db, businessId } = watched;
  await watched.addWallet(wallet);
  await watched.catchUp();
  await depositAt("22:14:00", 5n);
  await mineAt("22:31:00");
  const later = await watched.addWallet("0x00000000000000000000000000000000000b0b00");
  const unknown = async () => (await write(businessId, { isAnew: true })).made.unknown_openings;
  const { addedChangeId } = await db.wallet.findUniqueOrThrow({ where: { id: later } });
  const times = (createdAt: string, removedAt: string | null = null) =>
    db.wallet.update({
      where: { id: later },
      data: { createdAt, removedAt, removedChangeId: removedAt === null ? null : addedChangeId },
    });
  await times(onThatDay("22:29:00"));
  expect(await unknown()).toBe(1);
  await times(onThatDay("22:30:00"));
  expect(await unknown()).toBe(0);
  await times(onThatDay("21:00:00"), onThatDay("21:59:59"));
  expect(await unknown()).toBe(0);
  await times(onThatDay("21:00:00"), onThatDay("22:00:00"));
  expect(await unknown()).toBe(1);
});
