import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { spawnDaemon } from "../support/process/daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

it("a daemon outlives SIGHUP and SIGUSR2, and ends in order at SIGTERM", async () => {
  const daemon = await spawnDaemon(deploymentIn(world));
  for (const signal of ["SIGHUP", "SIGUSR2"] as const) process.kill(daemon.pid, signal);
  const position = async () => (await daemon.admin.get("/admin/status")).chains[0].position;
  const before = await position();
  await world.anvil.mine(3);
  await waitFor(async () => (await position()) > before, {
    what: "a new block",
    timeoutMs: 20_000,
  });
  expect(await daemon.stop()).toBe(0);
  expect(daemon.output()).toContain("daemon.stopped");
});

it("SIGHUP has a daemon read the file of admin tokens again, and keep what it had where that is at fault", async () => {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-tokens-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "tokens");
  const [first, second] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex")];
  await writeFile(path, `ops:${first}\n`);
  const environment = { CHAINBELL_ADMIN_TOKENS: "", CHAINBELL_ADMIN_TOKENS_FILE: path };
  const daemon = await spawnDaemon(deploymentIn(world), environment);
  const statusWith = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${daemon.url}/admin/status`, { headers })).status;
  };
  const hangUp = async (tokens: string, message: string) => {
    await writeFile(path, tokens);
    process.kill(daemon.pid, "SIGHUP");
    const what = `the line ${message}`;
    await waitFor(() => daemon.output().includes(message), { what, timeoutMs: 20_000 });
  };
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 401]);

  await hangUp(`ann:${second}\n`, "admin_tokens.reloaded");
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);

  await hangUp("ann:short\n", "admin_tokens.refused");
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);
  await daemon.stop();
  for (const token of [first, second]) expect(daemon.output()).not.toContain(token);
});
