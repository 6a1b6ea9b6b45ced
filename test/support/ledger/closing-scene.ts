import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { folderFiles } from "../../../src/bin/cli/folder-files.ts";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { closeMonth } from "../../../src/operator/close/month.ts";
import { closeVerify } from "../../../src/operator/close/verify.ts";
import type { FolderFiles } from "../../../src/operator/folder-files.ts";
import { unshown } from "../../../src/operator/statement/progress.ts";
import { nothingCompared, reconcileStep } from "../../../src/watcher/reconcile/reconcile.ts";
import { type Anvil, startAnvil } from "../chain/anvil.ts";
import { ether, payer, wallet } from "../chain/cast.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../chain/rpc-proxy.ts";
import * as timed from "../chain/timed-blocks.ts";
import { type WatchedChain, watchChain } from "../chain/watched-chain.ts";
import { quiet } from "../quiet.ts";
import { evidenceAt } from "./attested-ledger.ts";
import { signingOf, statementPorts } from "./statement-ports.ts";

export const otherWallet = "0x00000000000000000000000000000000000b0b00";

let anvil: Anvil;
let proxy: RpcProxy;
let watched: WatchedChain;
let folder: string;
let other: string;
let written: string[] = [];

/** Two businesses, each with a deposit in November 2023; all of it is confirmed. */
export async function openScene(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "chainbell-close-"));
  written = [];
  anvil = await startAnvil({ args: ["--timestamp", "1700000000"] });
  proxy = await startRpcProxy(anvil.rpcUrl);
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1 });
  await watched.catchUp();
  other = await watched.addBusiness();
  await watched.addWallet(wallet);
  await watched.addWallet(otherWallet, "deposit", other);
  await watched.catchUp();
  await depositAt("2023-11-14T22:14:00Z", wallet, 5n);
  await depositAt("2023-11-14T22:15:00Z", otherWallet, 7n);
}

export async function endScene(): Promise<void> {
  await watched.stop();
  await proxy.stop();
  await anvil.stop();
  rmSync(folder, { recursive: true });
}

/** What the tests of one file have now, one after another. */
export const scene = {
  get anvil() {
    return anvil;
  },
  get proxy() {
    return proxy;
  },
  get watched() {
    return watched;
  },
  /** The folder in which the month is closed. */
  get folder() {
    return folder;
  },
  /** The second business. The first is the one of `watched`. */
  get other() {
    return other;
  },
  /** The files that the last run wrote, in the folder. */
  get written() {
    return written;
  },
};

export const depositAt = (time: string, to: string, amountAtomic: bigint) =>
  timed.depositAt(scene, time, { to, amountAtomic });

export const mineAt = (time: string) => timed.mineAt(scene, time);

export async function endNovember(): Promise<void> {
  for (const time of ["2023-12-01T00:00:10Z", "2023-12-01T00:16:00Z"]) await mineAt(time);
}

type Trace = { result: { value?: string } };

/** Beside what is real, each trace has an inner payment to the other wallet that never was. */
export const inventing: Misbehave = async ({ method }, forward) => {
  if (method !== "debug_traceBlockByHash") return null;
  const traces = (await forward()) as Trace[];
  const value = `0x${ether.toString(16)}`;
  const invented = {
    type: "CALL",
    from: payer,
    to: otherWallet,
    value,
    gas: "0x0",
    gasUsed: "0x0",
  };
  const calls = [{ ...invented, input: "0x" }];
  return { result: traces.map((trace) => ({ ...trace, result: { ...trace.result, calls } })) };
};

export async function compareChain({ chain, ledger, oldBlocks, chainName }: WatchedChain) {
  const ports = { chain, ledger, oldBlocks, log: quiet };
  let progress = nothingCompared;
  for (;;) {
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, progress);
    if (outcome.kind === "done") return outcome.progress;
    if (outcome.kind !== "more") throw new Error("The chain cannot be compared.");
    progress = outcome.progress;
  }
}

/** Files that note each write before they do it. */
export const notedFiles: FolderFiles = {
  ...folderFiles,
  replace(path, text) {
    written.push(path.slice(folder.length + 1));
    return folderFiles.replace(path, text);
  },
};

export const notedLines: typeof lineFiles = {
  ...lineFiles,
  writeParts(path, parts, check) {
    written.push(path.slice(folder.length + 1));
    return lineFiles.writeParts(path, parts, check);
  },
};

const answer = z.object({
  closed: z.int(),
  kept: z.int(),
  unfinished: z.int(),
  refused: z.int(),
  open: z.array(z.looseObject({ business_id: z.string(), kind: z.string(), what: z.string() })),
  not_attested: z.array(
    z.object({
      business_id: z.string(),
      blockchain: z.string(),
      why: z.string(),
      what: z.string(),
    }),
  ),
});

export const signing = () => signingOf(watched.db);

export function portsOf() {
  return {
    ...statementPorts(watched.db),
    lineFiles: notedLines,
    folderFiles: notedFiles,
    chainNames: [watched.chainName],
    openEvidence: async (_: string) => evidenceAt(anvil.rpcUrl),
    compareChain: async (_: string) => compareChain(watched),
    publish: async () => {},
    showProgress: unshown,
  };
}

type Given = { business?: string; month?: string; zone?: string; out?: string };

export async function close(given: Given = {}, ports = portsOf()) {
  written = [];
  const outcome = await closeMonth.cli?.run(ports, { month: "2023-11", out: folder, ...given });
  const { hasFindings, isUnfinished } = outcome ?? {};
  return { ...answer.parse(outcome?.answer), hasFindings, isUnfinished };
}

/** The public key of the installation, as an auditor has it from elsewhere. */
export async function publicKey(): Promise<string> {
  const [key] = await listSigningKeys(watched.db);
  return key?.publicKey ?? "";
}

export async function verify(key?: string) {
  const given = { folder, key: key ?? (await publicKey()) };
  const outcome = await closeVerify.cli?.run({ folderFiles }, given);
  const { findings } = z
    .object({ findings: z.array(z.object({ file: z.string(), what: z.string() })) })
    .parse(outcome?.answer);
  return { findings, hasFindings: outcome?.hasFindings };
}

export const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
export const filesOf = (business: string) => readdirSync(join(folder, business)).toSorted();
export const whole = [
  "attestation-anvil.json",
  "statement.csv",
  "statement.html",
  "statement.jsonl",
  "statement.parquet",
];
