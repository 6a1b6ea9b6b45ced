import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSetup } from "../../../src/app/setup/setup.ts";
import { byteFiles } from "../../../src/bin/cli/byte-files.ts";
import type { RecordedBlockFinding } from "../../../src/domain/setup/recorded-block.ts";
import { blockRecord } from "../../../src/operator/setup/block-record.ts";
import { blockVerify } from "../../../src/operator/setup/block-verify.ts";
import type { VerbBindings } from "../../../src/operator/verb-bindings.ts";
import { ANVIL_ACCOUNTS, startAnvil } from "../../support/chain/anvil.ts";
import { deployMoneyContracts } from "../../support/chain/money-contracts.ts";
import { allTests } from "../../support/each-test.ts";
import { quiet } from "../../support/quiet.ts";

type Json = Record<string, unknown>;

const [payer, receiver] = ANVIL_ACCOUNTS;
const anvil = allTests(
  () => startAnvil({}),
  ({ stop }) => stop(),
);

let folder: string;
let file: string;
let number: number;

function cliOf<Ports>({ cli }: VerbBindings<unknown, Ports>) {
  if (cli === null) throw new Error("it has no command line");
  return cli;
}

const ports = () => createSetup({}, folder, byteFiles, () => quiet);
const record = (...[chain, height, out]: [string, number, string]) =>
  cliOf(blockRecord).run(ports(), {
    chain,
    number: String(height),
    rpc: `${anvil.rpcUrl}/?key=a-secret-key`,
    out,
  });

/** Each part that a file's recording has, with its state. */
async function verify(path: string) {
  const { hasFindings, answer } = await cliOf(blockVerify).run(ports(), { file: path });
  const { parts } = answer as { parts: RecordedBlockFinding[] };
  return {
    hasFindings,
    states: Object.fromEntries(parts.map(({ what, state }) => [what, state])),
    says: Object.fromEntries(parts.map(({ what, says }) => [what, says])),
  };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-recording-"));
  file = join(folder, "block.json.gz");
  const { router } = await deployMoneyContracts(anvil);
  const data = router.encode("route", [receiver, 1n]);
  await anvil.send({ from: payer, to: router.address, value: "0x7", data });
  number = await anvil.blockNumber();
  await record("31337", number, file);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a recorded block is proved from its file alone, and the file names no endpoint", async () => {
  const { states, says, hasFindings } = await verify(file);
  expect(says["state"]).toContain("the movements make up every change");
  expect(states).toEqual({
    header: "proved",
    transactions: "proved",
    senders: "proved",
    logs: "proved",
    movements: "fits",
    traces: "fits",
    fees: "fits",
    state: "proved",
  });
  expect(hasFindings).toBe(false);
  const text = gunzipSync(await readFile(file)).toString();
  expect(text).not.toContain("127.0.0.1");
  expect(text).not.toContain("a-secret-key");
});

test("a file that is there is not written over", async () => {
  await expect(record("31337", number, file)).rejects.toMatchObject({ code: "invalid_request" });
});

test("an endpoint of another chain is refused, and leaves no file", async () => {
  const out = join(folder, "other.json.gz");
  await expect(record("ethereum", number, out)).rejects.toMatchObject({ code: "wrong_chain_id" });
  expect(existsSync(out)).toBe(false);
});

const lies: [part: string, lie: string, change: (recording: Recorded) => void][] = [
  ["header", "a state root", ({ block }) => (block["stateRoot"] = `0x${"ab".repeat(32)}`)],
  ["transactions", "an amount", ({ transaction }) => (transaction["value"] = "0x8")],
  ["transactions", "a sender", ({ transaction }) => (transaction["from"] = receiver)],
  ["logs", "a receipt that failed", ({ receipt }) => (receipt["status"] = "0x0")],
  ["fees", "gas", ({ receipt }) => (receipt["gasUsed"] = "0x5208")],
  ["traces", "the trace of another", ({ trace }) => (trace["value"] = "0x9")],
  ["state", "a balance", ({ balances }) => balances.map((one) => (one["after"] = "0x1"))],
  ["state", "a transfer that no balance shows", ({ trace }) => (trace["calls"] = [])],
];

type Recorded = ReturnType<typeof partsOf>;

function partsOf(document: Json) {
  const block = document["block"] as Json;
  const [transaction] = block["transactions"] as Json[];
  const [receipt] = document["receipts"] as Json[];
  const { answer } = document["traces"] as { answer: { result: Json }[] };
  const balances = document["balances"] as Json[];
  const trace = answer[0]?.result;
  if (!transaction || !receipt || !trace) throw new Error("the recording is not whole");
  return { block, transaction, receipt, trace, balances };
}

test.each(lies)("%s: %s that was changed is refused", async (part, lie, change) => {
  const document = JSON.parse(gunzipSync(await readFile(file)).toString()) as Json;
  change(partsOf(document));
  const changed = join(folder, `${part} ${lie}.json`);
  writeFileSync(changed, JSON.stringify(document));
  const { states, hasFindings } = await verify(changed);
  expect([states[part], hasFindings]).toEqual(["refused", true]);
});

test("what is no recording is said to be none", async () => {
  const bad = join(folder, "bad.json");
  for (const text of ["", "{}", '{"recording":1}', '{"recording":2}', "\u001f\u008b"]) {
    writeFileSync(bad, text);
    await expect(verify(bad)).rejects.toMatchObject({ code: "invalid_request" });
  }
});
