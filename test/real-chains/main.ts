// Prints what becomes of every recorded block of a real chain.
// Usage: npm run -s real-chains [-- --write]
// `--write`: expects from now on what came of it.
import { loadCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { verifyRecording } from "../../src/chain/recording/verify-recording.ts";
import type { RecordedBlockFinding } from "../../src/domain/setup/recorded-block.ts";
import {
  profileOfRecording,
  readCatalogue,
  readRecordingNamed,
  writeOutcomes,
} from "../support/chain/recordings.ts";

const cryptography = await loadCryptography();
const outcomes = new Map<string, Record<string, string>>();
for (const { name } of readCatalogue()) {
  const recording = readRecordingNamed(name);
  const profile = profileOfRecording(recording);
  const findings = verifyRecording(cryptography, recording, profile);
  process.stdout.write(`\n${name}, ${profile.name}\n${findings.map(lineOf).join("")}`);
  outcomes.set(
    name,
    Object.fromEntries(findings.map(({ what, state, says }) => [what, `${state}: ${says}`])),
  );
}
if (process.argv.includes("--write")) writeOutcomes(outcomes);

function lineOf({ what, state, says }: RecordedBlockFinding): string {
  return `  ${what.padEnd(12)}  ${state.padEnd(7)}  ${says}\n`;
}
