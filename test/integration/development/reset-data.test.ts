import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clusterHome } from "../../../src/development/postgres/postgres-cluster.ts";
import { lockDataDirectory } from "../../../src/development/process/daemon-lock.ts";
import { identityOf } from "../../../src/development/process/process-identity.ts";
import { resetData } from "../../../src/development/reset-data.ts";
import {
  otherProcess,
  serverPid,
  temporaryDataDirectory,
} from "../../support/process/data-directory.ts";

test("all data of development mode goes, with what a killed daemon left running, and nothing else", async () => {
  const dataDir = temporaryDataDirectory();
  for (const kind of ["postgres", "chain"] as const)
    await (await otherProcess(kind, dataDir)).kill();
  const servers = ["postgres", "chain"].map((name) => serverPid(dataDir, name) ?? 0);
  expect(servers.map((pid) => identityOf(pid)?.pid)).toEqual(servers);
  writeFileSync(join(dataDir, "notes.txt"), "mine");

  const removed = await resetData(dataDir);

  expect(servers.map((pid) => identityOf(pid))).toEqual([undefined, undefined]);
  expect(readdirSync(dataDir)).toEqual(["notes.txt"]);
  expect(existsSync(clusterHome(dataDir))).toBe(false);
  expect(removed).toContain(clusterHome(dataDir));
  expect(await resetData(dataDir)).toEqual([]);
});

test("nothing is removed while a daemon works in the directory", async () => {
  const dataDir = temporaryDataDirectory();
  mkdirSync(join(dataDir, "postgres"));
  const lock = lockDataDirectory(dataDir);
  onTestFinished(lock.release);
  await expect(resetData(dataDir)).rejects.toMatchObject({ code: "data_directory_in_use" });
  expect(existsSync(join(dataDir, "postgres"))).toBe(true);
});
