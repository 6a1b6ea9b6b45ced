import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityOf } from "../../src/development/process/process-identity.ts";
import { serverPid, temporaryDataDirectory } from "../support/process/data-directory.ts";
import { freePort } from "../support/process/free-port.ts";
import {
  hasTerminal,
  npmStart,
  npmStartInTerminal,
  signalGroup,
  startTimeoutMs,
  untilGivenBack,
  untilReady,
} from "../support/process/npm-start.ts";
import { waitFor } from "../support/wait-for.ts";

test("development mode survives ten restarts by Ctrl-C, a crash and a closed terminal, and its wallet is watched", async () => {
  const port = await freePort();
  const dataDir = temporaryDataDirectory();
  const environment = { CHAINBELL_DATA_DIR: dataDir, PORT: String(port) };
  const get = async (path: string, apiKey: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": apiKey } })).json();
  const keys = new Set<string>();
  for (let start = 1; start <= 10; start += 1) {
    const isClosed = start === 8 && hasTerminal;
    // As after a first start that was killed in the middle: the key is not known any more.
    if (start === 9) writeFileSync(join(dataDir, "demo.json"), "{");
    const running = isClosed ? npmStartInTerminal(environment) : npmStart(environment);
    const { apiKey } = await untilReady(running);
    keys.add(apiKey);
    await waitFor(
      async () => {
        const { data } = (await get("/wallets", apiKey)) as { data: { status: string }[] };
        return data.length > 0 && data.every(({ status }) => status === "watched");
      },
      { what: "every wallet to be watched", timeoutMs: startTimeoutMs },
    );
    expect(await get("/balance", apiKey)).toMatchObject({
      assets: { ETH: 10_000 },
      syncing_wallets: 0,
    });
    const isCrash = start === 5;
    const servers = ["postgres", "chain"].map((name) => serverPid(dataDir, name) ?? 0);
    signalGroup(running.child, isCrash || isClosed ? "SIGKILL" : "SIGINT");
    const status = await running.ended;
    if (isCrash) continue;
    if (isClosed) {
      await untilGivenBack(dataDir);
      expect(servers.map((pid) => identityOf(pid))).toEqual([undefined, undefined]);
      continue;
    }
    expect([status, running.output()]).toEqual([0, expect.stringContaining("daemon.stopped")]);
    expect(servers.map((pid) => identityOf(pid))).toEqual([undefined, undefined]);
  }

  expect(keys.size).toBe(2);
});
