import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { developmentEncryptionKey } from "../../../src/development/encryption-key.ts";
import { lockDataDirectory } from "../../../src/development/process/daemon-lock.ts";
import { takeLockFile } from "../../../src/development/process/lock-file.ts";
import { temporaryDataDirectory } from "../../support/process/data-directory.ts";

test("a second daemon on the same data directory is refused with the first one's pid", () => {
  const dataDir = temporaryDataDirectory();
  const lock = lockDataDirectory(dataDir);
  onTestFinished(lock.release);

  expect(() => lockDataDirectory(dataDir)).toThrow(
    expect.objectContaining({
      code: "data_directory_in_use",
      message: expect.stringContaining(`process ${process.pid}`),
    }),
  );
});

test("the next daemon may work in the data directory once the first has left it", () => {
  const dataDir = temporaryDataDirectory();
  lockDataDirectory(dataDir).release();

  expect(() => lockDataDirectory(dataDir).release()).not.toThrow();
});

test("the lock of a daemon that died is cleared, also when its pid is another's by now", () => {
  const dataDir = temporaryDataDirectory();
  const path = join(dataDir, "daemon.lock");
  const reused = { pid: process.pid, startedAt: "another boot:1", nonce: "x" };
  for (const left of [JSON.stringify(reused), JSON.stringify({ pid: 2 ** 30 }), "", "{"]) {
    writeFileSync(path, left);
    expect(() => lockDataDirectory(dataDir).release()).not.toThrow();
  }
});

test("a lock that another took over since is not released by its former holder", () => {
  const path = join(temporaryDataDirectory(), "x.lock");
  const first = takeLockFile(path);
  rmSync(path);
  const second = takeLockFile(path);
  if (first.taken) first.release();

  expect(second.taken).toBe(true);
  expect(takeLockFile(path).taken).toBe(false);
});

test("the encryption key is made once, has 32 bytes, and only its owner can read it", () => {
  const dataDir = temporaryDataDirectory();
  const key = developmentEncryptionKey(dataDir);

  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect(developmentEncryptionKey(dataDir)).toBe(key);
  expect(statSync(join(dataDir, "encryption.key")).mode & 0o777).toBe(0o600);
});

test("a damaged encryption key is reported, never replaced", () => {
  const dataDir = temporaryDataDirectory();
  developmentEncryptionKey(dataDir);
  writeFileSync(join(dataDir, "encryption.key"), "short");

  expect(() => developmentEncryptionKey(dataDir)).toThrow(
    expect.objectContaining({ code: "wrong_encryption_key" }),
  );
});
