import { describe, expect, it } from "vitest";
import { type Cryptography, loadCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import type { Recording } from "../../src/chain/recording/recording.ts";
import { decodeRecording, verifyRecording } from "../../src/chain/recording/verify-recording.ts";
import { knownGenesis } from "../../src/domain/chain/profiles/known-genesis.ts";
import { knownProfiles } from "../../src/domain/chain/profiles/known-profiles.ts";
import { txTypes } from "../../src/domain/chain/tx-types.ts";
import { type LoadedBlock, proofOf } from "../../src/domain/money/movement.ts";
import {
  profileOfRecording,
  readCatalogue,
  readRecordingNamed,
  recordedFiles,
} from "../support/chain/recordings.ts";

// Every recorded block of a real chain through the code that the daemon uses. What must come of
// each is in catalogue.json; `npm run real-chains` prints it.

const cryptography = await loadCryptography();
const catalogue = readCatalogue();
const maxBytes = 3_000_000;

describe("recorded blocks of real chains", () => {
  it("are all listed, each with its source, and are small together", () => {
    const { names, bytes } = recordedFiles();
    expect(names.toSorted()).toEqual(catalogue.map(({ name }) => name).toSorted());
    expect(catalogue.filter(({ source }) => source === "")).toEqual([]);
    expect(bytes).toBeLessThan(maxBytes);
  });

  it.each(catalogue)("$name", ({ name, chainId, number, outcome }) => {
    const recording = readRecordingNamed(name);
    const findings = verifyRecording(cryptography, recording, profileOfRecording(recording));
    const found = findings.map(({ what, state, says }) => [what, `${state}: ${says}`]);
    expect([recording.chainId, BigInt(String(recording.block["number"]))]).toEqual([
      chainId,
      number,
    ]);
    expect(Object.fromEntries(found)).toEqual(outcome);
  });

  it("are right, or it is said why they are not", () => {
    const refused = catalogue.filter(({ outcome }) =>
      Object.values(outcome).some((text) => text.startsWith("refused")),
    );
    expect(refused.filter(({ why }) => why === undefined)).toEqual([]);
  });

  it("are of each chain whose row is founded on its own blocks", () => {
    const founded = knownProfiles.filter(({ evidence }) => evidence.level === "recorded");
    const recorded = new Set(catalogue.map(({ chainId }) => chainId));
    const without = founded.filter(({ chainId }) => !recorded.has(chainId));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it("begin with the first block that is known of their chain", () => {
    const firstOf = ({ block: { number, hash, parentHash } }: Recording) =>
      BigInt(String(number)) === 0n ? hash : BigInt(String(number)) === 1n ? parentHash : null;
    const compared = catalogue.flatMap(({ name, chainId }) => {
      const first = firstOf(readRecordingNamed(name));
      const known = knownGenesis(chainId);
      return first === null || known === null ? [] : [[chainId, first === known.hash]];
    });
    expect(compared).toEqual([
      [10, true],
      [100, true],
    ]);
  });

  it("are of every type of transaction but those that nobody has sent in", () => {
    const found = new Set(catalogue.flatMap(({ name }) => typesIn(readRecordingNamed(name))));
    const ethereum = [0, 1, 2, 3, 4].filter((type) => !found.has(type));
    const others = Object.entries(txTypes).filter(([, type]) => !found.has(type));
    expect(ethereum).toEqual([]);
    expect(others.map(([name]) => name)).toEqual([
      "zksyncPriority",
      "arbitrumDeposit",
      "arbitrumUnsigned",
      "arbitrumContract",
      "arbitrumRetry",
      "arbitrumSubmitRetryable",
      "arbitrumLegacy",
      "accountAbstraction",
      "celo",
      "stateSync",
    ]);
  });

  it("have the same fees without the prices of their receipts, or it is said", () => {
    const invented: string[] = [];
    let compared = 0;
    for (const { name, chainId } of catalogue) {
      const recording = readRecordingNamed(name);
      const whole = decode(cryptography, recording);
      const left = decode(cryptography, withoutPrices(recording));
      if (whole === null || left === null) continue;
      const mayDiffer = chargingLess.includes(chainId);
      const [fees, shown] = [feesOf(whole), feesOf(left)];
      compared += fees.size;
      for (const [hash, amount] of fees) {
        const fee = { kind: "fee", txHash: hash, logIndex: null, tracePath: null } as const;
        const isSaid = proofOf(left.evidence, fee) === "answered";
        if (shown.get(hash) !== amount && !(isSaid && mayDiffer)) invented.push(`${name} ${hash}`);
      }
    }
    expect(invented).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  });
});

function typesIn({ block }: Recording): number[] {
  const transactions = (block["transactions"] ?? []) as unknown[];
  return transactions.flatMap((one) =>
    typeof one === "object" && one !== null && "type" in one ? [Number(one.type)] : [],
  );
}

/**
 * Arbitrum of before Nitro and Hedera charge less than was signed, and only the receipt says how
 * much.
 */
const chargingLess = [42_161, 295];

type Hash = LoadedBlock["movements"][number]["txHash"];

const feesOf = ({ movements }: LoadedBlock): Map<Hash, bigint> =>
  new Map(
    movements
      .filter(({ kind }) => kind === "fee")
      .map(({ txHash, amountAtomic }) => [txHash, amountAtomic]),
  );

function withoutPrices(recording: Recording): Recording {
  const receipts =
    recording.receipts?.map(({ effectiveGasPrice: _, ...receipt }) => receipt) ?? null;
  return { ...recording, receipts };
}

/** Null: it is not whole, or it is refused, because nothing says what was paid. */
function decode(tools: Cryptography, recording: Recording): LoadedBlock | null {
  const profile = profileOfRecording(recording);
  const outcome = decodeRecording({ cryptography: tools, recording, profile }, "off");
  if (outcome?.kind === "done") return outcome.value;
  return null;
}
