import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Fault } from "../../../src/domain/fault.ts";
import {
  close,
  compareChain,
  endNovember,
  endScene,
  filesOf,
  openScene,
  portsOf,
  scene,
  textOf,
  whole,
} from "../../support/ledger/closing-scene.ts";
import { watchInLedger } from "../../support/ledger/watch-in-ledger.ts";
import { configure, deploymentOf } from "../../support/process/deployment.ts";
import { runVerb } from "../../support/process/run-cli.ts";

beforeEach(openScene);
afterEach(endScene);

describe("closing a month with endpoints of another chain", () => {
  it("refuses the businesses on that chain with what to correct, and closes the others", async () => {
    const { watched, other } = scene;
    const twin = await watchInLedger(
      {
        ledger: { ...watched, url: watched.databaseUrl, close: watched.stop },
        chainName: "twin",
      },
      { rpcUrl: scene.proxy.url, depth: 1 },
    );
    await twin.catchUp();
    await twin.addWallet("0x00000000000000000000000000000000000b0b02", "deposit", other);
    await endNovember();
    await twin.catchUp();
    const wrong = (code: "wrong_chain_id" | "wrong_genesis") => {
      throw new Fault(code, "The endpoint secret.example serves another chain.");
    };
    const ports = { ...portsOf(), chainNames: ["anvil", "twin"] };
    const comparing = async (chainName: string) =>
      chainName === "twin" ? wrong("wrong_genesis") : compareChain(watched);
    const attesting = async (chainName: string) =>
      chainName === "twin" ? wrong("wrong_chain_id") : ports.openEvidence(chainName);
    for (const [code, failing] of [
      ["wrong_genesis", { compareChain: comparing }],
      ["wrong_chain_id", { openEvidence: attesting }],
    ] as const) {
      const outcome = await close({}, { ...ports, ...failing });
      expect(outcome).toMatchObject({
        unfinished: 0,
        refused: 1,
        hasFindings: true,
        isUnfinished: false,
      });
      expect(outcome.open).toMatchObject([
        { business_id: other, kind: "chain_unreadable", blockchain: "twin" },
      ]);
      expect(outcome.open[0]?.what).toContain(code);
      expect(outcome.open[0]?.what).toContain("Correct `");
      expect(textOf("index.json")).not.toContain("secret.example");
      expect(filesOf(watched.businessId)).toEqual(whole);
    }
    await twin.stop();
  });

  it("ends as the configuration's fault, which the comparison alone says too", async () => {
    await endNovember();
    const { databaseUrl, chainName } = scene.watched;
    const chain = { name: chainName, rpcUrl: scene.proxy.url, confirmations: 1 };
    const settings = { databaseUrl, redisUrl: null, chains: [chain], receiverPorts: [] };
    const configured = await configure(deploymentOf(settings), 0);
    try {
      scene.proxy.misbehave(({ method }) => (method === "eth_chainId" ? { result: "0x5" } : null));
      const out = join(scene.folder, "closed");
      const args = ["close", "--month", "2023-11", "--out", out, "--json"];
      const closing = await runVerb(args, configured.environment);
      expect(closing.status).toBe(3);
      const { data } = JSON.parse(closing.stdout);
      expect(data).toMatchObject({ closed: 0, unfinished: 0, refused: 2 });
      const [first] = data.open;
      expect(first).toMatchObject({ kind: "chain_unreadable", blockchain: chainName });
      expect(first.what).toContain("wrong_chain_id");
      const comparing = await runVerb(["reconcile", "--json"], configured.environment);
      expect(comparing.status).toBe(1);
      expect(JSON.parse(comparing.stdout)).toMatchObject({ error: { code: "wrong_chain_id" } });
    } finally {
      rmSync(configured.folder, { recursive: true });
    }
  });
});
