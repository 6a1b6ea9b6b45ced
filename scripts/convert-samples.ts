// Makes the project's recordings out of a folder of samples: what real nodes answered, in the forms
// in which it was found. Only those that the catalogue names are made. Once a recording is there,
// the tests need its sample no more.
// Usage: node scripts/run.mjs convert-samples FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packRecording, type Recording } from "../src/chain/recording/recording.ts";
import { readCatalogue, recordingFile } from "../test/support/chain/recordings.ts";
import { avalancheRecording } from "./samples/avalanche.ts";
import { baseSepoliaRecording } from "./samples/base-sepolia.ts";
import { type Answer, plainRecording } from "./samples/plain.ts";

const folder = process.argv[2] ?? "";
const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), "utf8"));

let total = 0;
for (const { name, chainId, number, sample, isHeaderOnly } of readCatalogue()) {
  if (sample === null) continue;
  const recording = convert(sample, { chainId, number });
  const packed = packRecording(isHeaderOnly ? headerOf(recording) : recording);
  writeFileSync(recordingFile(name), packed);
  total += packed.length;
}
process.stdout.write(`${total} bytes\n`);

/** The header, with the hashes of the transactions. */
function headerOf({ chainId, block }: Recording): Recording {
  const transactions = (block["transactions"] as Answer[]).map(({ hash }) => hash);
  const none = { receipts: null, traces: null, balances: [] };
  return { chainId, block: { ...block, transactions }, ...none };
}

function convert(sample: string, of: { chainId: number; number: bigint }): Recording {
  if (sample.endsWith("fixture.json")) return avalancheRecording(read(sample), of);
  if (sample.endsWith("/")) return baseSepoliaRecording((file) => read(sample + file), of);
  return plainRecording(read(sample) as Answer, of);
}
