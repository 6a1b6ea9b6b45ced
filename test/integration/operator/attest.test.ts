import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { canonical, verifyAttestation } from "../../../scripts/attestation/verify.ts";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { parseAddress } from "../../../src/domain/chain/address.ts";
import { toChecksum } from "../../../src/domain/chain/checksum.ts";
import type { AsOf } from "../../../src/domain/evidence/balances-at.ts";
import { newSigningKey, signatureOf } from "../../../src/domain/evidence/signing-key.ts";
import { readConfirmedHeight } from "../../../src/ledger/evidence/read-statement.ts";
import { addSigningKey, listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { ether, wallet } from "../../support/chain/cast.ts";
import { inCheckout } from "../../support/checkout.ts";
import { keyringOf } from "../../support/keyring.ts";
import { type Attestation, attestedLedger, empty } from "../../support/ledger/attested-ledger.ts";
import { keepRows } from "../../support/ledger/keep-rows.ts";
import { archiveWallet } from "../../support/ledger/steps.ts";

const { open, close, attest, written, publicKey, verified, scene } = attestedLedger();

describe("an attestation", () => {
  let restore: () => Promise<void>;

  // Each test finds its rows and its endpoint as they were at first.
  beforeAll(async () => {
    await open();
    restore = await keepRows(scene.watched.db);
  });
  afterEach(async () => {
    scene.proxy.misbehave(null);
    await restore();
  });
  afterAll(close);

  it("is not made of a business that does not exist", async () => {
    const business = "01900000-0000-7000-8000-000000000000";
    await expect(attest(undefined, { business })).rejects.toMatchObject({
      code: "business_not_found",
    });
  });

  it("states every balance at the confirmed block, and its proofs hold offline", async () => {
    const attestation = await written();
    const confirmed = await readConfirmedHeight(scene.watched.db, scene.watched.chainName);
    const [chain] = attestation.chains;
    expect(chain?.block).toMatchObject({
      number: Number(confirmed),
      hash: (await scene.anvil.block(Number(confirmed))).hash,
    });
    expect(
      chain?.balances.map(({ address, asset, amount, proof }) => [address, asset, amount, proof]),
    ).toEqual([
      [toChecksum(parseAddress(wallet)), "ETH", "2", "account"],
      [toChecksum(parseAddress(wallet)), "TST", "0.00005", "storage"],
      [toChecksum(parseAddress(empty)), "ETH", "0", "account"],
      [toChecksum(parseAddress(empty)), "TST", "0", "storage"],
    ]);
    expect(chain?.seal?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await verified(attestation)).toEqual({ proved: 4, unproved: 0, wrong: [], missing: [] });
  });

  it("is of the block before the deposit where it is asked for it", async () => {
    const deposit = await scene.watched.db.transaction.findFirstOrThrow({
      where: { type: "deposit" },
      orderBy: { blockNumber: "asc" },
    });
    const { attestation } = await attest({ kind: "block", number: deposit.blockNumber - 1n });
    expect(attestation?.chains[0]?.balances[0]).toMatchObject({ amount: "0", proof: "account" });
    expect(await verified(attestation)).toMatchObject({
      proved: 2,
      wrong: [],
      missing: [expect.stringContaining("the proofs of 2 of 4 balances")],
    });
  });

  it("has a wallet that has ended since, at the blocks in which it was watched", async () => {
    const { db } = scene.watched;
    const { id } = await db.wallet.findFirstOrThrow({ where: { address: wallet } });
    const before = await written();
    await archiveWallet(db, id);
    const ended = await db.wallet.findUniqueOrThrow({
      where: { id },
      include: { removedChange: true },
    });
    const endedAt = ended.removedChange?.positionNumber ?? 0n;
    const again = await attest({
      kind: "block",
      number: BigInt(before.chains[0]?.block.number ?? 0),
    });
    expect(again.attestation?.chains[0]?.balances).toEqual(before.chains[0]?.balances);
    expect(await verified(again.attestation)).toMatchObject({ wrong: [], missing: [] });
    await scene.anvil.mine(3);
    await scene.watched.catchUp();
    const { attestation } = await attest({ kind: "block", number: endedAt });
    expect(new Set(attestation?.chains[0]?.balances.map(({ address }) => address))).toEqual(
      new Set([toChecksum(parseAddress(empty))]),
    );
  });

  it("is of the newest block at a moment", async () => {
    const confirmed = await readConfirmedHeight(scene.watched.db, scene.watched.chainName);
    const { time } = await scene.watched.db.block.findFirstOrThrow({
      where: { number: confirmed },
    });
    for (const [ms, isLast] of [
      [0, true],
      [-1, false],
    ] as const) {
      const { attestation } = await attest({ kind: "time", time: new Date(time.getTime() + ms) });
      const block = attestation?.chains[0]?.block;
      expect(block?.number === Number(confirmed)).toBe(isLast);
      expect(Date.parse(block?.time ?? "")).toBeLessThanOrEqual(time.getTime() + ms);
    }
  });

  it.each<[string, AsOf]>([
    ["a block that is not confirmed", { kind: "block", number: 9_999n }],
    ["a moment that is not confirmed", { kind: "time", time: new Date("2999-01-01") }],
    ["a moment before the chain began", { kind: "time", time: new Date(0) }],
  ])("is refused for %s", async (_, at) => {
    await expect(attest(at)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("of one business has nothing of another's", async () => {
    const other = await scene.watched.addBusiness();
    const { attestation } = await attest(undefined, { business: other });
    expect(attestation?.chains[0]?.balances).toEqual([]);
  });

  it("says where the token's storage has another balance than the ledger", async () => {
    await scene.watched.db.balance.updateMany({
      where: { confirmed: 50 },
      data: { confirmed: { increment: 1 } },
    });
    const { differing, attestation } = await attest();
    expect(differing).toBe(1);
    expect((await verified(attestation)).wrong).toEqual([
      expect.stringContaining("it says 51, the chain's state says 50"),
    ]);
  });

  it("says where the chain's state has another balance than the ledger", async () => {
    await scene.watched.db.balance.updateMany({
      where: { confirmed: { gt: 1_000_000 } },
      data: { confirmed: { increment: 1 } },
    });
    const { differing, attestation } = await attest();
    expect(differing).toBe(1);
    expect((await verified(attestation)).wrong).toHaveLength(1);
  });

  it("is refused where the endpoint's block is not the ledger's", async () => {
    const number = await readConfirmedHeight(scene.watched.db, scene.watched.chainName);
    const hash = `0x${"ab".repeat(32)}`;
    await scene.watched.db.block.updateMany({ where: { number }, data: { hash } });
    await expect(attest()).rejects.toMatchObject({ code: "rpc_inconsistent" });
  });

  it("without proofs where the endpoint offers none", async () => {
    scene.proxy.misbehave(({ method }) =>
      method === "eth_getProof" ? { error: { code: -32_601, message: "method not found" } } : null,
    );
    const attestation = await written();
    expect(await verified(attestation)).toEqual({
      proved: 0,
      unproved: 4,
      wrong: [],
      missing: [expect.stringContaining("the proofs of 4 of 4 balances")],
    });
  });
});

describe("an attestation that was changed", () => {
  type Chain = Attestation["chains"][number];

  // Tests change a copy of it.
  let attestation: Attestation;

  beforeAll(async () => {
    await open();
    attestation = await written();
  });
  afterAll(close);

  const another = (hex: string) => `${hex.slice(0, -2)}${hex.endsWith("00") ? "01" : "00"}`;

  const withBlock = (chain: Chain, block: Partial<Chain["block"]>): Chain => ({
    ...chain,
    block: { ...chain.block, ...block },
  });
  const withBalance = (chain: Chain, at: number, change: Partial<Chain["balances"][number]>) => ({
    ...chain,
    balances: chain.balances.map((one, index) => (index === at ? { ...one, ...change } : one)),
  });
  const withToken = (chain: Chain, change: Partial<Chain["tokens"][number]>): Chain => ({
    ...chain,
    tokens: chain.tokens.map((token) => ({ ...token, ...change })),
  });
  const withProof = (chain: Chain, proofOf: (proofs: string[][]) => string[]): Chain => ({
    ...chain,
    accounts: chain.accounts.map((account, at, all) =>
      at === 0 ? { ...account, proof: proofOf(all.map(({ proof }) => proof)) } : account,
    ),
  });

  it.each<[string, (chain: Chain) => Chain]>([
    ["a balance", (chain) => withBalance(chain, 0, { amount_atomic: `${3n * ether}` })],
    ["a balance that is nothing", (chain) => withBalance(chain, 2, { amount_atomic: "1" })],
    ["a balance as people read it", (chain) => withBalance(chain, 0, { amount: "3" })],
    ["the decimals of an asset", (chain) => withBalance(chain, 1, { decimals: 5 })],
    ["a token's balance", (chain) => withBalance(chain, 1, { amount_atomic: "51" })],
    ["a token's balance that is nothing", (chain) => withBalance(chain, 3, { amount_atomic: "1" })],
    ["another layout", (chain) => withToken(chain, { layout: { kind: "vyper", place: "0x00" } })],
    ["no proof of a token's account", (chain) => withToken(chain, { proof: [] })],
    ["no slots", (chain) => withToken(chain, { slots: [] })],
    [
      "another owner's slot",
      (chain) => {
        const [first, second] = chain.tokens[0]?.slots ?? [];
        const slots =
          first === undefined || second === undefined ? [] : [{ ...second, owner: first.owner }];
        return withToken(chain, { slots });
      },
    ],
    [
      "an account's proof in a token's place",
      (chain) => withBalance(chain, 1, { proof: "account" }),
    ],
    [
      "a header",
      (chain) => withBlock(chain, { header_rlp: another(chain.block.header_rlp ?? "") }),
    ],
    ["no header", (chain) => withBlock(chain, { header_rlp: null })],
    ["a block's number", (chain) => withBlock(chain, { number: chain.block.number + 1 })],
    ["a block's hash", (chain) => withBlock(chain, { hash: another(chain.block.hash) })],
    ["a block's time", (chain) => withBlock(chain, { time: "2001-01-01T00:00:00.000Z" })],
    ["no proof of an account", (chain) => withProof(chain, () => [])],
    [
      "a node",
      (chain) =>
        withProof(chain, ([first = []]) =>
          first.map((node, at) => (at === 0 ? another(node) : node)),
        ),
    ],
    ["another account's proof", (chain) => withProof(chain, ([, second = []]) => second)],
  ])("by %s is refused", async (_, change) => {
    const changed = { ...attestation, chains: attestation.chains.map(change) };
    expect((await verified(changed)).wrong).not.toEqual([]);
  });

  // Whoever makes the digest anew as well is found by the key alone.
  const resealed = (document: Attestation): Attestation => {
    const { digest: _, signature, ...covered } = document;
    const digest = createHash("sha256").update(canonical(covered)).digest("hex");
    return { ...covered, digest, signature };
  };

  it.each<[string, (document: Attestation) => Attestation]>([
    ["a balance twice", (all) => withBalances(all, ([one]) => (one ? [one, one] : []))],
    ["a balance left out", (all) => withBalances(all, (balances) => balances.slice(1))],
    ["another order", (all) => withBalances(all, (balances) => balances.toReversed())],
    [
      "all proofs left out",
      (all) => withBalances(all, (balances) => balances.map((one) => ({ ...one, proof: null }))),
    ],
    [
      "a balance without its proof, and another amount",
      (all) =>
        withBalances(all, ([one, ...rest]) =>
          one
            ? [{ ...one, proof: null, amount: "3", amount_atomic: `${3n * ether}` }, ...rest]
            : [],
        ),
    ],
    ["a difference", (all) => withChains(all, (chain) => ({ ...chain, differing: 3 }))],
    [
      "another seal",
      (all) => withChains(all, (chain) => ({ ...chain, seal: { number: 1, hash: "ab" } })),
    ],
    ["a chain left out", (all) => ({ ...all, chains: [] })],
    ["other totals", (all) => ({ ...all, totals: { ...all.totals, balances: 5 } })],
    ["another time", (all) => ({ ...all, made_at: "2001-01-01T00:00:00.000Z" })],
  ])("to have %s is refused, with the digest made anew too", async (_, change) => {
    const changed = change(attestation);
    expect((await verified(changed)).wrong).toContainEqual(
      expect.stringContaining("the digest is"),
    );
    expect((await verified(resealed(changed))).wrong).toContainEqual(
      expect.stringContaining("has not signed this"),
    );
  });

  const withChains = (all: Attestation, change: (chain: Chain) => Chain): Attestation => ({
    ...all,
    chains: all.chains.map(change),
  });
  const withBalances = (
    all: Attestation,
    change: (balances: Chain["balances"]) => Chain["balances"],
  ) => withChains(all, (chain) => ({ ...chain, balances: change(chain.balances) }));

  it("or signed by another key is refused, and one without a key is not whole", async () => {
    const other = newSigningKey((plain) => plain);
    const signature = signatureOf(other.ciphertext, "anything");
    const { keyId, value } = signature;
    const forged = {
      ...attestation,
      signature: { ...attestation.signature, key_id: keyId, value },
    };
    expect((await verified(forged)).wrong).toEqual([
      expect.stringContaining("it is signed by key"),
    ]);
    const kept = {
      ...forged,
      signature: { ...forged.signature, key_id: attestation.signature.key_id },
    };
    expect((await verified(kept)).wrong).toEqual([expect.stringContaining("has not signed this")]);
    const { missing, wrong } = await verifyAttestation(attestation, null);
    expect([wrong, missing]).toEqual([[], [expect.stringContaining("a public key")]]);
    const { digest: _, signature: __, totals: ___, ...bare } = attestation;
    const stripped = await verified(bare);
    expect([stripped.wrong, stripped.missing.length]).toEqual([[], 3]);
  });

  it("by an older key is still whole once the key was replaced", async () => {
    const key = await publicKey();
    const { newSigningKey: make } = createSigning({
      db: scene.watched.db,
      config: { encryptionKeys: keyringOf(7) },
    });
    await inTransaction(scene.watched.db, (tx) => addSigningKey(tx, make()));
    expect(await verifyAttestation(attestation, key)).toMatchObject({ wrong: [], missing: [] });
    const newer = await written();
    expect((await verifyAttestation(newer, key)).wrong).toEqual([
      expect.stringContaining("it is signed by key"),
    ]);
    expect((await verified(newer)).wrong).toEqual([]);
    const keys = await listSigningKeys(scene.watched.db);
    expect(keys.map(({ retiredAt }) => retiredAt === null)).toEqual([true, false]);
  });

  it("replaces a file whole, and is its owner's alone: it has every customer's balances", async () => {
    const out = join(scene.folder, "attestation.json");
    writeFileSync(out, "the one before", { mode: 0o644 });
    await attest(undefined, { out });
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ attestation: 2 });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(scene.folder).filter((name) => name.startsWith("attestation"))).toEqual([
      "attestation.json",
    ]);
    await attest(undefined, { out: "/dev/null" });
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    await expect(attest(undefined, { out: scene.folder })).rejects.toThrow("it is a folder");
    const nowhere = join(scene.folder, "none", "attestation.json");
    await expect(attest(undefined, { out: nowhere })).rejects.toThrow("its folder does not exist");
  });

  it("is refused by the program as well, which says what it found", async () => {
    const out = join(scene.folder, "attestation.json");
    const answer = await attest(undefined, { out });
    expect(answer).toMatchObject({
      file: out,
      balances: 4,
      proved: 4,
      differing: 0,
      attestation: null,
    });
    const program = [inCheckout("scripts", "run.mjs"), "verify-attestation", out];
    const run = (...more: string[]) =>
      spawnSync(process.execPath, [...program, ...more], { encoding: "utf8" });
    const key = await publicKey();
    const verify = () => run("--key", key);
    const held = verify();
    expect([held.status, held.stdout]).toEqual([
      0,
      "4 balances are proved, 0 have no proof, 0 things are wrong, 0 are missing\n",
    ]);
    const keyless = run();
    expect(keyless.status).toBe(2);
    expect(keyless.stdout).toContain("missing: a public key from elsewhere");
    writeFileSync(out, readFileSync(out, "utf8").replace(String(2n * ether), String(3n * ether)));
    const changed = verify();
    expect(changed.status).toBe(1);
    expect(changed.stdout).toContain(`it says ${3n * ether}, the chain's state says ${2n * ether}`);
  });
});
