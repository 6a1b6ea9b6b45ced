import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readWalletFile } from "../../../src/bin/cli/read-wallet-file.ts";

async function read(content: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-wallets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "wallets.csv");
  await writeFile(path, content);
  return readWalletFile(path);
}

const header = "blockchain,address,reference\n";

test("a line in another encoding than UTF-8 is named, since its reference would be another", async () => {
  const lines = "ethereum,0x01,Müller\nethereum,0x02,Muller\nethereum,0x03,Mäller\n";
  const { lines: whole, faults } = await read(Buffer.from(`${header}${lines}`, "latin1"));
  expect(whole.map(({ line }) => line)).toEqual([3]);
  const message = "The line must be in UTF-8.";
  expect(faults).toEqual([2, 4].map((line) => ({ line, field: "", message })));
  const same = await read(Buffer.from(`\ufeff${header}${lines}`));
  expect(same.faults).toEqual([]);
  expect(same.lines.map(({ wallet }) => wallet.reference)).toEqual(["Müller", "Muller", "Mäller"]);
});

test("a first line in another encoding is refused as that", async () => {
  const content = Buffer.from("blockchain,address,größe\n", "latin1");
  await expect(read(content)).rejects.toThrow("it is not in UTF-8");
});
