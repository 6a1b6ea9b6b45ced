import { expect, it } from "vitest";
import { loadCryptography } from "../../../../src/chain/proof/hashing/cryptography.ts";
import { proveContents } from "../../../../src/chain/proof/prove-block.ts";
import { parseBlock } from "../../../../src/chain/rpc/rpc-block.ts";
import { expectedProof } from "../../../../src/domain/chain/expected-proof.ts";
import { profileOfRecording, readRecordingNamed } from "../../../support/chain/recordings.ts";

const cryptography = await loadCryptography();

/** Proves a recorded block of Avalanche's software with other atomic data than it has. */
const prove = (name: string, blockExtraData: unknown) => () => {
  const recording = readRecordingNamed(name);
  const profile = profileOfRecording(recording);
  const block = parseBlock({ ...recording.block, blockExtraData });
  proveContents(cryptography, { profile, proof: expectedProof(profile, null) }, block);
};

const recorded = (name: string) => readRecordingNamed(name).block["blockExtraData"];

it("coin from another chain of Avalanche cannot be hidden, nor invented", () => {
  const [withCoin, without] = ["43110-10", "43110-11"];
  expect(prove(withCoin, recorded(withCoin))).not.toThrow();
  for (const hidden of [undefined, null, "0x"])
    expect(prove(withCoin, hidden)).toThrow(/atomic transactions do not have/);
  for (const none of [undefined, null, "0x"]) expect(prove(without, none)).not.toThrow();
  expect(prove(without, recorded(withCoin))).toThrow(/atomic transactions do not have/);
  // A block of before the header covered them.
  expect(prove("43110-1", "0x")).not.toThrow();
});
