import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Recording, unpackRecording } from "../../../src/chain/recording/recording.ts";
import type { ChainProfile } from "../../../src/domain/chain/profile.ts";
import { profileOf } from "../../../src/domain/chain/profiles/known-profiles.ts";
import { inCheckout } from "../checkout.ts";

/** A recorded block of a real chain: where it comes from, and what must come of it. */
type Entry = {
  /** The public repository, file and commit, or who has sent it in. */
  source: string;
  /** The file among the samples that it was made of; left out: it was recorded. */
  sample?: string;
  /** Where the rest of the sample was changed by whoever published it. */
  only?: "header";
  /** Each part with its outcome, as `block verify` says it. */
  outcome: Record<string, string>;
  /** Why a part is refused. */
  why?: string;
};

type Listed = Omit<Entry, "sample" | "only"> & {
  /** Its chain's id and its number: the recording's name too. */
  name: string;
  chainId: number;
  number: bigint;
  sample: string | null;
  isHeaderOnly: boolean;
};

const folder = inCheckout("test", "real-chains", "recordings");
const catalogue = inCheckout("test", "real-chains", "catalogue.json");

export function readCatalogue(): Listed[] {
  const entries = JSON.parse(readFileSync(catalogue, "utf8")) as Record<string, Entry>;
  return Object.entries(entries).map(([name, { sample = null, only, ...entry }]) => {
    const [chainId, number] = name.split("-");
    return {
      ...entry,
      name,
      chainId: Number(chainId),
      number: BigInt(number ?? 0),
      sample,
      isHeaderOnly: only === "header",
    };
  });
}

/** Keeps what is known of each recording beside its outcome. */
export function writeOutcomes(outcomes: ReadonlyMap<string, Entry["outcome"]>): void {
  const entries = JSON.parse(readFileSync(catalogue, "utf8")) as Record<string, Entry>;
  const written = Object.entries(entries).map(([name, entry]) => [
    name,
    { ...entry, outcome: outcomes.get(name) ?? entry.outcome },
  ]);
  writeFileSync(catalogue, `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`);
}

export function recordingFile(name: string): string {
  return `${folder}/${name}.json.gz`;
}

export function readRecordingNamed(name: string): Recording {
  return unpackRecording(readFileSync(recordingFile(name)));
}

/** The names of all files in the folder of recordings, and their bytes together. */
export function recordedFiles(): { names: string[]; bytes: number } {
  const files = readdirSync(folder);
  const bytes = files.reduce((sum, file) => sum + readFileSync(`${folder}/${file}`).length, 0);
  return { names: files.map((file) => file.replace(/\.json\.gz$/, "")), bytes };
}

/** A test chain of Avalanche's makers, and the id of the coin there. */
const fixture = {
  chainId: 43_110,
  atomicCoin: "4a177205df5c29929d06db9d941f83d5ea985de302015e99252d16469a6610db",
};

/** The profile that a recording is judged by. */
export function profileOfRecording({ chainId }: Recording): ChainProfile {
  if (chainId !== fixture.chainId) return profileOf(chainId);
  // Before Helicon a header's receipts are its own.
  return { ...profileOf(43_114), atomicCoin: fixture.atomicCoin, receipts: "root" };
}
