import { afterEach, describe, expect, it } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { ANVIL_ACCOUNTS, startAnvil } from "../../../support/chain/anvil.ts";
import { ether } from "../../../support/chain/cast.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { openWallet, watchChain } from "../../../support/chain/watched-chain.ts";
import { allTests } from "../../../support/each-test.ts";
import { changeJournal } from "../../../support/ledger/change-journal.ts";
import { keepRows } from "../../../support/ledger/keep-rows.ts";
import { createResources } from "../../../support/resources.ts";

const [payer, wallet] = ANVIL_ACCOUNTS;

/** A ledger with an opening, a deposit of each asset, a withdrawal and its fee. */
async function openScene() {
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const token = await deployToken(anvil);
    await token.mint(payer, 1_000_000n);
    const watching = watchChain({ rpcUrl: anvil.rpcUrl, depth: 2, tokens: [token.asset] });
    const watched = await open(watching, (one) => one.stop());
    await watched.catchUp();
    await openWallet(watched, anvil, wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await token.transfer(payer, wallet, 50n);
    await anvil.sendNative({ from: wallet, to: payer, amountAtomic: 3n });
    await anvil.mine(2);
    await watched.catchUp();
    const held = await anvil.balance(wallet);
    return { anvil, watched, held, restore: await keepRows(watched.db), end };
  } catch (error) {
    await end();
    throw error;
  }
}

// Each test changes its rows, and finds them as they were at first.
const scene = allTests(openScene, (one) => one.end());
afterEach(() => scene.restore());

const check = () => checkLedger(scene.watched.db);
const kinds = async () => (await check()).findings.map(({ kind }) => kind);

describe("a ledger that Chainbell alone has written", () => {
  it("passes its check, with every account on the two sides", async () => {
    const { findings, entries, accounts, heads } = await check();
    expect(findings).toEqual([]);
    expect(entries).toBe(6n);
    const of = (code: string) =>
      Object.fromEntries(
        accounts
          .filter(({ assetCode }) => assetCode === code)
          .map(({ account, amountAtomic }) => [account, amountAtomic]),
      );
    expect(of("TST")).toEqual({ wallets: 50n, opening: 0n, chain: -50n });
    const { wallets = 0n, opening = 0n, chain = 0n, fees = 0n } = of("ETH");
    expect(opening).toBe(-10_000n * ether);
    expect(chain).toBe(3n - ether);
    expect(fees).toBeGreaterThan(0n);
    expect(wallets).toBe(scene.held);
    expect(wallets + opening + chain + fees).toBe(0n);
    expect(heads).toMatchObject([{ chainName: scene.watched.chainName }]);
  });

  it.each([
    ["a journal that is still empty", "DELETE"],
    ["a row of the journal", "UPDATE"],
  ])("refuses that %s is changed", async (_, verb) => {
    for (const table of ["ledger_entry", "ledger_seal"]) {
      const sql =
        verb === "DELETE" ? `TRUNCATE ${table}` : `UPDATE ${table} SET ${columnOf(table)}`;
      await expect(scene.watched.db.$executeRawUnsafe(sql)).rejects.toThrow("append-only");
      await expect(scene.watched.db.$executeRawUnsafe(`DELETE FROM ${table}`)).rejects.toThrow(
        "append-only",
      );
    }
    expect(await kinds()).toEqual([]);
  });

  const columnOf = (table: string) => (table === "ledger_entry" ? "amount = 1" : "hash = ''");
});

describe("a ledger that a release before 0.3.0 has sealed", () => {
  it("passes its check: seals without facts have the hash that they had", async () => {
    await changeJournal(scene.watched.db, (tx) =>
      tx.$executeRawUnsafe(`DO $$ DECLARE s record; before text := repeat('0', 64); made text; BEGIN
        FOR s IN SELECT * FROM ledger_seal ORDER BY number LOOP
          made := ledger_seal_hash(s.chain_name, s.number, before, s.digests);
          UPDATE ledger_seal SET facts = NULL, previous_hash = before, hash = made WHERE number = s.number;
          before := made;
        END LOOP; END $$`),
    );
    expect(await kinds()).toEqual([]);
    await scene.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
    await scene.anvil.mine(2);
    await scene.watched.catchUp();
    expect(await kinds()).toEqual([]);
  });
});

describe("a ledger that somebody else has changed", () => {
  const tamper = (sql: string) =>
    changeJournal(scene.watched.db, (tx) => tx.$executeRawUnsafe(sql));

  it("is found by the entry whose amount is another", async () => {
    const entry = await scene.watched.db.ledgerEntry.findFirstOrThrow({
      where: { kind: "confirmation" },
      orderBy: { id: "asc" },
    });
    await tamper(`UPDATE ledger_entry SET amount = amount + 1 WHERE id >= ${entry.id}`);
    const { findings } = await check();
    expect(findings.filter(({ kind }) => kind === "entry_changed")).toEqual([
      expect.objectContaining({ entryId: entry.id, chainName: scene.watched.chainName }),
    ]);
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(
      new Set(["balance", "account", "transaction", "entry_changed"]),
    );
  });

  it("is found where everything that is derived was changed along with the entry", async () => {
    const entry = await scene.watched.db.ledgerEntry.findFirstOrThrow({
      where: { kind: "confirmation", balance: { asset: { code: "TST" } } },
    });
    await tamper(`UPDATE ledger_entry SET amount = amount + 7 WHERE id = ${entry.id}`);
    await tamper(`UPDATE balance SET confirmed = confirmed + 7 WHERE asset_id = ${entry.assetId}`);
    await tamper(`UPDATE transaction SET amount = amount + 7 WHERE id = '${entry.transactionId}'`);
    await tamper(
      `UPDATE ledger_account SET amount = amount - 7 WHERE asset_id = ${entry.assetId} AND account = 'chain'`,
    );
    expect((await check()).findings).toEqual([
      { kind: "transaction_changed", transactionId: entry.transactionId },
      expect.objectContaining({ kind: "notification" }),
      expect.objectContaining({ kind: "entry_changed", entryId: entry.id }),
    ]);
  });

  it("is found where the entry's seal was made anew: the next one does not follow from it", async () => {
    const entry = await scene.watched.db.ledgerEntry.findFirstOrThrow({
      where: { kind: "opening" },
    });
    await tamper(`UPDATE ledger_entry SET created_at = now() WHERE id = ${entry.id}`);
    await tamper(
      `UPDATE ledger_seal s SET digests = (SELECT string_agg(ledger_entry_digest(e.id, e.wallet_id, e.asset_id,
         e.transaction_id, e.kind, e.amount, e.block_number, e.created_at, ledger_account_of(e.kind, t.type)), ''::bytea
         ORDER BY e.id) FROM ledger_entry e LEFT JOIN transaction t ON t.id = e.transaction_id WHERE e.id = ANY(s.entry_ids))
       WHERE number = 1`,
    );
    expect(await check()).toMatchObject({ findings: [{ kind: "seal", number: 1n }] });
    await tamper(
      "UPDATE ledger_seal SET hash = ledger_seal_hash(chain_name, number, previous_hash, digests || facts) WHERE number = 1",
    );
    expect(await check()).toMatchObject({ findings: [{ kind: "seal", number: 2n }] });
  });

  it.each<[string, string, string[]]>([
    [
      "a balance that no entry says",
      "UPDATE balance SET confirmed = confirmed + 1 WHERE confirmed = 50",
      ["not_zero", "balance"],
    ],
    [
      "an account that no entry says",
      "UPDATE ledger_account SET amount = amount + 1 WHERE account = 'fees'",
      ["not_zero", "account"],
    ],
    [
      "an entry that is gone",
      "DELETE FROM ledger_entry WHERE amount = 50",
      ["balance", "account", "transaction", "notification", "entry_missing"],
    ],
    [
      "an entry that was never sealed",
      `INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
       SELECT wallet_id, asset_id, 'opening', 0, 1 FROM balance LIMIT 1`,
      ["entry_unsealed"],
    ],
    ["a seal that is gone", "DELETE FROM ledger_seal WHERE number = 2", ["entry_unsealed", "seal"]],
    [
      "a completed transaction that is called dropped",
      "UPDATE transaction SET status = 'dropped' WHERE amount = 50",
      ["transaction"],
    ],
    [
      "a fee that is called a deposit",
      "UPDATE transaction SET type = 'deposit' WHERE type = 'fee'",
      ["account", "entry_changed", "transaction_changed"],
    ],
    [
      "a transaction's amount",
      "UPDATE transaction SET amount = 51 WHERE amount = 50",
      ["notification", "transaction", "transaction_changed"],
    ],
    [
      "a transaction's direction",
      "UPDATE transaction SET direction = 'out' WHERE amount = 50",
      ["transaction", "transaction_changed"],
    ],
    [
      "a transaction's sender",
      `UPDATE transaction SET from_address = '0x${"ab".repeat(20)}' WHERE amount = 50`,
      ["notification", "transaction_changed"],
    ],
    [
      "the sender of a fee",
      `UPDATE transaction SET from_address = '0x${"ab".repeat(20)}' WHERE type = 'fee'`,
      ["transaction_changed"],
    ],
    [
      "a transaction's wallet",
      `WITH made AS (
         INSERT INTO wallet SELECT (jsonb_populate_record(w,
           '{"id":"01900000-0000-7000-8000-000000000b0b","address":"0x0000000000000000000000000000000000000b0b"}')).*
         FROM wallet w RETURNING id
       ) UPDATE transaction SET wallet_id = made.id FROM made WHERE amount = 50`,
      ["notification", "transaction_changed"],
    ],
    [
      "a transaction's hash",
      `UPDATE transaction SET tx_hash = '0x${"ab".repeat(32)}' WHERE amount = 50`,
      ["notification", "transaction_changed"],
    ],
    [
      "a transaction's identity",
      `UPDATE transaction SET identity = '\\x${"ab".repeat(32)}' WHERE amount = 50`,
      ["transaction_changed"],
    ],
    ...Object.entries({
      memo: `'0x${"ab".repeat(32)}'`,
      virtual_address: `'0x${"ab".repeat(20)}'`,
    }).map(([column, value]): [string, string, string[]] => [
      `a transaction's ${column}`,
      `UPDATE transaction SET ${column} = ${value} WHERE amount = 50`,
      ["notification", "transaction_changed"],
    ]),
    ...Object.entries({
      proof: "'answered'",
      confirmed_alone: "true",
      block_hash: `'0x${"ab".repeat(32)}'`,
      block_time: "block_time + interval '1 second'",
      completed_at: "completed_at + interval '1 second'",
      created_at: "created_at + interval '1 second'",
      log_index: "log_index + 1",
      usd_value: "7",
    }).map(([column, value]): [string, string, string[]] => [
      `a transaction's ${column}`,
      `UPDATE transaction SET ${column} = ${value} WHERE amount = 50`,
      ["transaction_changed"],
    ]),
    [
      "the proof of an opening",
      "UPDATE balance SET opening_proof = 'answered' WHERE opening > 0",
      ["opening_changed"],
    ],
    [
      "facts that were sealed",
      "UPDATE ledger_seal SET facts = sha256(facts) WHERE number = 1",
      ["opening_changed", "seal"],
    ],
    [
      "the time of a notification",
      "UPDATE notification SET created_at = created_at + interval '1 second'",
      ["notification"],
    ],
    [
      "the block in a notification",
      `UPDATE notification SET body = regexp_replace(body, '"blockNumber":[0-9]+', '"blockNumber":7')`,
      ["notification"],
    ],
    ["a delivery that waits and is not due", "DELETE FROM due_delivery", ["due"]],
    [
      "something due that nobody waits for",
      `INSERT INTO due_delivery (delivery_id, business_id, is_retry, place, due_at, created_at)
       SELECT gen_random_uuid(), id, false, 0, now(), now() FROM business`,
      ["due"],
    ],
    ["a delivery that is due elsewhere", "UPDATE due_delivery SET place = place + 1", ["due"]],
    ["a pending balance", "UPDATE balance SET pending = 1 WHERE confirmed = 50", ["pending"]],
    ["an opening balance", "UPDATE balance SET opening = opening + 1", ["opening"]],
    [
      "an opening balance that is gone",
      "UPDATE balance SET opening = NULL WHERE opening > 0",
      ["opening"],
    ],
    [
      "the amount in a notification",
      `UPDATE notification SET body = replace(body, '"amount":"1"', '"amount":"2"')`,
      ["notification"],
    ],
    [
      "the receiver in a notification",
      `UPDATE notification SET body = regexp_replace(body, '"toAddress":"[^"]*"', '"toAddress":"0x00"')`,
      ["notification"],
    ],
    ["a notification without a body", "UPDATE notification SET body = ''", ["notification"]],
    [
      "a notification that is of another state",
      "UPDATE notification SET state = 'dropped', event = 'transaction.dropped'",
      ["notification"],
    ],
  ])("is found by %s", async (_, sql, found) => {
    await tamper(sql);
    expect([...new Set(await kinds())].sort()).toEqual([...new Set(found)].sort());
  });
});
