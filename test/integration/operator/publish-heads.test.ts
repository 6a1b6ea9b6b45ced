import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import { findLostHeads } from "../../../src/ledger/evidence/check-seals.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { ledgerCheck } from "../../../src/operator/ledger/check.ts";
import type { VerbBindings } from "../../../src/operator/verb-bindings.ts";
import { attestedLedger } from "../../support/ledger/attested-ledger.ts";
import { changeJournal } from "../../support/ledger/change-journal.ts";

// Heads of seals, handed to the operator's place for them, and compared with later.

const { open, close, attest, scene } = attestedLedger();

beforeEach(open);
afterEach(close);

function cliOf<Ports>({ cli }: VerbBindings<never, Ports>) {
  if (cli === null) throw new Error("it has no command line");
  return cli;
}

/** Every seal anew, each following from the one before it. */
const resealSql = `DO $$ DECLARE s record; before text := repeat('0', 64); digest bytea; made text; BEGIN
  FOR s IN SELECT * FROM ledger_seal ORDER BY number LOOP
    SELECT string_agg(ledger_entry_digest(e.id, e.wallet_id, e.asset_id, e.transaction_id, e.kind, e.amount,
      e.block_number, e.created_at, ledger_account_of(e.kind, t.type)), ''::bytea ORDER BY u.place) INTO digest
    FROM unnest(s.entry_ids) WITH ORDINALITY AS u(id, place) JOIN ledger_entry e ON e.id = u.id
      LEFT JOIN transaction t ON t.id = e.transaction_id;
    made := ledger_seal_hash(s.chain_name, s.number, before, digest);
    UPDATE ledger_seal SET digests = digest, facts = NULL, previous_hash = before, hash = made
    WHERE chain_name = s.chain_name AND number = s.number;
    before := made;
  END LOOP; END $$`;

it("publishes heads that a rewritten journal does not have", async () => {
  const file = join(scene.folder, "heads.jsonl");
  const program = join(scene.folder, "hook");
  writeFileSync(program, `#!/bin/sh\ncat > ${scene.folder}/hooked\n`, { mode: 0o755 });
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk) => received.push(String(chunk)));
    request.on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const to of [file, `exec:${program}`, `http://127.0.0.1:${port}/heads`])
    await attest(undefined, { publish: to });
  const [line = ""] = readFileSync(file, "utf8").split("\n");
  const heads = JSON.parse(line);
  expect(heads).toMatchObject({ heads: 1, chains: [{ blockchain: scene.watched.chainName }] });
  const hooked = JSON.parse(readFileSync(join(scene.folder, "hooked"), "utf8"));
  for (const one of [hooked, JSON.parse(received.join(""))])
    expect(one.chains).toEqual(heads.chains);

  const ledger = bind(scene.watched.db, { checkLedger, findLostHeads });
  const check = () => cliOf(ledgerCheck).run({ ledger, lineFiles }, { against: file });
  expect(await check()).toMatchObject({ hasFindings: false });
  // Whoever owns the tables makes every seal anew: nothing here says so, but what was published.
  await changeJournal(scene.watched.db, async (tx) => {
    await tx.$executeRawUnsafe(
      "UPDATE ledger_entry SET created_at = created_at + interval '1 day'",
    );
    await tx.$executeRawUnsafe(resealSql);
  });
  expect(await check()).toMatchObject({
    hasFindings: true,
    answer: { findings: [{ kind: "head" }] },
  });
});

it("is not done to a place that takes nothing", async () => {
  for (const to of [join(scene.folder, "no", "such"), "exec:/bin/false", "http://127.0.0.1:9/"])
    await expect(attest(undefined, { publish: to })).rejects.toMatchObject({
      code: "invalid_request",
    });
});
