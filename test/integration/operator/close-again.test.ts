import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyAttestation } from "../../../scripts/attestation/verify.ts";
import type { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { canonicalJson } from "../../../src/domain/evidence/canonical-json.ts";
import { newSigningKey, type Sign, signatureOf } from "../../../src/domain/evidence/signing-key.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { addSigningKey } from "../../../src/ledger/installation/signing-keys.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { signDocument } from "../../../src/operator/signed-document.ts";
import { inCheckout } from "../../support/checkout.ts";
import { evidenceAt } from "../../support/ledger/attested-ledger.ts";
import {
  close,
  compareChain,
  endNovember,
  endScene,
  filesOf,
  notedFiles,
  notedLines,
  openScene,
  portsOf,
  publicKey,
  scene,
  signing,
  textOf,
  verify,
  whole,
} from "../../support/ledger/closing-scene.ts";
import { watchInLedger } from "../../support/ledger/watch-in-ledger.ts";
import { bareEnvironment } from "../../support/process/bare-environment.ts";
import { runProgram } from "../../support/process/daemon.ts";
import { configure, deploymentOf } from "../../support/process/deployment.ts";
import { runVerb } from "../../support/process/run-cli.ts";
import { waitFor } from "../../support/wait-for.ts";

beforeEach(openScene);
afterEach(endScene);

describe("closing a month again", () => {
  it("goes on after an end at any of its writes, and never has half a file", async () => {
    await endNovember();
    const key = "ended";
    for (let endsAt = 1; ; endsAt += 1) {
      rmSync(scene.folder, { recursive: true });
      const ports = portsOf();
      const isLast = () => scene.written.length === endsAt;
      // A process that is killed leaves a part of its file, and does nothing more.
      const end = (path: string) => {
        writeFileSync(`${path}.01a20098-39e4-7000-8000-02911919b011.partial`, "half");
        throw new Error(key);
      };
      const ending = {
        ...ports,
        folderFiles: {
          ...notedFiles,
          replace: async (path: string, text: string) => {
            await notedFiles.replace(path, text);
            if (isLast()) end(path);
          },
        },
        lineFiles: {
          ...notedLines,
          writeParts: async (...given: Parameters<typeof lineFiles.writeParts>) => {
            await notedLines.writeParts(...given);
            if (isLast()) end(given[0]);
          },
        },
      };
      const ended = await close({}, ending).then(
        () => false,
        (error: Error) => error.message === key,
      );
      if (!ended) {
        expect(endsAt).toBeGreaterThan(10);
        return;
      }
      const done = new Set(scene.written.filter((name) => name !== "index.json"));
      expect(await close()).toMatchObject({ refused: 0 });
      // Nothing that was whole is made again.
      expect(scene.written.filter((name) => done.has(name))).toEqual([]);
      expect(await verify()).toMatchObject({ findings: [] });
      for (const business of [scene.watched.businessId, scene.other])
        expect(filesOf(business)).toEqual(whole);
      expect(readdirSync(scene.folder)).toHaveLength(3);
    }
  });

  it("goes on after its process was killed, and leaves what it had closed alone", async () => {
    await endNovember();
    const { db, databaseUrl, businessId, chainName } = scene.watched;
    const chain = { name: chainName, rpcUrl: scene.proxy.url, confirmations: 1 };
    const settings = { databaseUrl, redisUrl: null, chains: [chain], receiverPorts: [] };
    const configured = await configure(deploymentOf(settings), 0);
    const args = ["close", "--month", "2023-11", "--out", scene.folder, "--json"];
    const closed = (): unknown[] => JSON.parse(textOf("index.json")).businesses;
    try {
      // The newest business is closed first. The other one waits for its row, which is locked.
      await db.$transaction(
        async (tx) => {
          await tx.$queryRaw`SELECT 1 FROM business WHERE id = ${businessId}::uuid FOR UPDATE`;
          const child = spawn(process.execPath, [inCheckout("scripts/run.mjs"), "cli", ...args], {
            env: { ...bareEnvironment(), ...configured.environment },
            stdio: "ignore",
          });
          const ended = once(child, "exit");
          await waitFor(() => closed().length === 1, { what: "the first", timeoutMs: 30_000 });
          child.kill("SIGKILL");
          expect((await ended)[1]).toBe("SIGKILL");
        },
        { timeout: 120_000 },
      );
      const [first] = closed();
      expect(first).toMatchObject({ business_id: scene.other, status: "closed" });
      const { status, stdout } = await runProgram("cli", args, configured.environment);
      expect(JSON.parse(stdout).data).toMatchObject({ closed: 1, kept: 1, refused: 0 });
      expect(status).toBe(0);
      expect(closed()).toContainEqual(first);
      expect(await verify()).toMatchObject({ findings: [] });
      for (const business of [businessId, scene.other]) expect(filesOf(business)).toEqual(whole);
      // An open matter is a finding, as the exit status says.
      appendFileSync(join(scene.folder, scene.other, "statement.csv"), "one more line\n");
      const verifying = ["close", "verify", scene.folder, "--key", await publicKey(), "--json"];
      for (const again of [args, verifying])
        expect((await runVerb(again, configured.environment)).status).toBe(3);
      // A fault of an endpoint has a status of its own.
      const unlucky = join(scene.folder, "unlucky");
      scene.proxy.misbehave(async ({ method, params }) =>
        method === "eth_getBlockByNumber" && params[0] === "0x2"
          ? { error: { code: -32000, message: "no" } }
          : null,
      );
      const late = args.map((one) => (one === scene.folder ? unlucky : one));
      const after = await runVerb(late, configured.environment);
      expect(JSON.parse(after.stdout).data).toMatchObject({ closed: 0, unfinished: 2, refused: 0 });
      expect(after.status).toBe(75);
    } finally {
      rmSync(configured.folder, { recursive: true });
    }
  });

  it("leaves unfinished what a chain's endpoints kept from it, and makes up for just that", async () => {
    const twin = await watchInLedger(
      {
        ledger: { ...scene.watched, url: scene.watched.databaseUrl, close: scene.watched.stop },
        chainName: "twin",
      },
      { rpcUrl: scene.proxy.url, depth: 1 },
    );
    await twin.catchUp();
    await twin.addWallet("0x00000000000000000000000000000000000b0b02", "deposit", scene.other);
    await endNovember();
    await twin.catchUp();
    const compared: string[] = [];
    const portsWith = (failing: { compare?: string; attest?: string }) => ({
      ...portsOf(),
      chainNames: ["anvil", "twin"],
      compareChain: (chainName: string) => {
        compared.push(chainName);
        if (chainName === failing.compare) throw new Fault("state_unavailable", "not now");
        return compareChain(chainName === "twin" ? twin : scene.watched);
      },
      openEvidence: async (chainName: string) => {
        if (chainName === failing.attest) throw new Fault("rpc_unavailable", "no answer");
        return evidenceAt(scene.anvil.rpcUrl);
      },
    });
    for (const failing of [{ compare: "twin" }, { attest: "twin" }]) {
      const outcome = await close({}, portsWith(failing));
      expect(outcome).toMatchObject({ unfinished: 1, refused: 0, isUnfinished: true });
      expect(outcome.not_attested).toMatchObject([
        { business_id: scene.other, blockchain: "twin", why: "unavailable" },
      ]);
      expect(filesOf(scene.watched.businessId)).toEqual(whole);
      expect(filesOf(scene.other)).toEqual(whole);
      expect(JSON.parse(textOf("index.json")).chains).toContainEqual(
        expect.objectContaining({ blockchain: "twin", status: "unavailable" }),
      );
      expect(await verify()).toEqual({ findings: [], hasFindings: false });
    }
    expect(await close({}, portsWith({}))).toMatchObject({
      closed: 1,
      kept: 2,
      unfinished: 0,
      not_attested: [],
      isUnfinished: false,
    });
    expect(scene.written.filter((name) => name !== "index.json")).toEqual([
      `${scene.other}/attestation-twin.json`,
    ]);
    // A chain that nobody waits for is not compared.
    compared.length = 0;
    rmSync(join(scene.folder, scene.watched.businessId, "statement.csv"));
    expect(await close({}, portsWith({}))).toMatchObject({ closed: 1, kept: 2 });
    expect(compared).toEqual(["anvil"]);
    await twin.stop();
  });

  it("has an index that its key has signed, and goes on with no other", async () => {
    await endNovember();
    await close();
    const stranger = newSigningKey((plain) => plain);
    const { digest: _, signature: __, ...own } = JSON.parse(textOf("index.json"));
    const forged = await signDocument(
      async (text) => signatureOf(stranger.ciphertext, text),
      "close",
      own,
    );
    const signedText = textOf("index.json");
    const indexOf = (text: string) => writeFileSync(join(scene.folder, "index.json"), text);
    for (const [text, what] of [
      [signedText.replace('"compared":2', '"compared":3'), "was changed"],
      [signedText.replace('"close":1', '"close":1,"more":1'), "was changed"],
      [canonicalJson(forged), "is not signed by this key"],
    ] as const) {
      indexOf(text);
      expect(await verify()).toEqual({
        findings: [{ file: "index.json", what }],
        hasFindings: true,
      });
      await expect(close()).rejects.toMatchObject({ code: "invalid_request" });
      expect(textOf("index.json")).toBe(text);
    }
    // To whom the stranger's key is the right one, the installation's is not.
    expect(await verify(stranger.publicKey)).toMatchObject({ hasFindings: false });
    indexOf(signedText);
    expect(await verify(stranger.publicKey)).toMatchObject({ hasFindings: true });
    // What a key of before has signed still counts.
    await inTransaction(scene.watched.db, (tx) => addSigningKey(tx, signing().newSigningKey()));
    expect(await close()).toMatchObject({ kept: 2 });
  });

  it("makes an attestation anew that the installation has not signed", async () => {
    await endNovember();
    await close();
    const name = `${scene.other}/attestation-anvil.json`;
    const { digest: _, signature: __, ...own } = JSON.parse(textOf(name));
    const stranger = newSigningKey((plain) => plain);
    const sign: Sign = async (text) => signatureOf(stranger.ciphertext, text);
    const forged = await signDocument(sign, "attestation", {
      ...own,
      made_at: "2020-01-01T00:00:00.000Z",
    });
    rmSync(join(scene.folder, "index.json"));
    writeFileSync(join(scene.folder, name), JSON.stringify(forged));
    expect(await close()).toMatchObject({ closed: 2 });
    expect(scene.written.filter((one) => one !== "index.json")).toEqual([name]);
    expect(await verifyAttestation(JSON.parse(textOf(name)), await publicKey())).toMatchObject({
      wrong: [],
    });
  });
});
