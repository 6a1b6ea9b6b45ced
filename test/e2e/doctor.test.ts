import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { expect, inject, onTestFinished, test } from "vitest";
import { createSetup } from "../../src/app/setup/setup.ts";
import { byteFiles } from "../../src/bin/cli/byte-files.ts";
import { runProgram, startDaemon } from "../support/process/daemon.ts";
import { configure } from "../support/process/deployment.ts";
import { freePort } from "../support/process/free-port.ts";
import { quiet } from "../support/quiet.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

test("doctor says of everything whether it is well, and its exit status whether all of it is", async () => {
  const deployment = deploymentIn(world);
  deployment.settings.file = { alerts: { webhook: { url: world.receiver.url } } };
  const { folder, environment } = await configure(deployment, 0);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const doctor = async (more: Record<string, string> = {}) => {
    const setup = createSetup({ ...environment, ...more }, folder, byteFiles, () => quiet);
    const lines = await setup.examine();
    const states = new Map(lines.map(({ what, state }) => [what, state]));
    const saying = (what: string) => lines.find((line) => line.what === what)?.says;
    return { lines, states, saying };
  };

  const empty = await doctor({ DATABASE_URL: inject("postgresAdminUrl") });
  expect([empty.states.get("migrations"), empty.states.get("key")]).toEqual(["fault", "unknown"]);
  const named = [...empty.states].filter(([, state]) => state === "unknown").map(([what]) => what);

  const missing = new URL(inject("postgresAdminUrl"));
  missing.pathname = "/no_such_database";
  const misspelt = await doctor({ DATABASE_URL: missing.href });
  expect(misspelt.saying("database")).toMatch(/database "no_such_database" does not exist\.$/);

  const daemon = await startDaemon(deployment);
  onTestFinished(() => daemon.stop());
  const well = await waitFor(
    async () => {
      const found = await doctor();
      const wrong = found.lines.filter(({ state }) => state !== "ok");
      if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
      return found;
    },
    { what: "everything to be well", timeoutMs: 2_000 },
  );
  expect(well.saying("disk")).toMatch(
    /can write; it cannot report free disk space: monitor that on its host$/,
  );
  expect(await runProgram("cli", ["doctor"], environment)).toMatchObject({ status: 0 });

  // Of several servers it says which one answers; nobody listens at port 1.
  const { host, hostname, port } = new URL(environment["DATABASE_URL"] ?? "");
  const several = environment["DATABASE_URL"]?.replace(host, `${hostname}:1,${host}`) ?? "";
  const chosen = await doctor({ DATABASE_URL: several });
  expect(chosen.saying("database")).toMatch(
    new RegExp(`^PostgreSQL [^,]+ at \\S+:${port}, \\d+ ms, `),
  );
  expect(well.saying("database")).toMatch(/^PostgreSQL \d[^,:]*, \d+ ms, /);
  const rpc = new URL(world.anvil.rpcUrl).host;
  expect([...well.states.keys()]).toEqual([
    ...[
      "configuration",
      "database",
      "clock",
      "disk",
      "migrations",
      "key",
      "audit",
      "watched",
      "queue",
      "size",
      "snapshots",
      "claims",
    ],
    ...["chain anvil", "deliveries", "alerts", `endpoint anvil ${rpc}`],
  ]);
  // What could not be looked at was all that is looked at now, in the same order.
  const looked = [...well.states.keys()].slice(5, -1);
  expect(named).toEqual(looked.map((what) => (what === "chain anvil" ? "chains" : what)));

  const otherKey = { CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const locked = await doctor(otherKey);
  expect([locked.states.get("key"), locked.states.get("queue")]).toEqual(["fault", "ok"]);

  const [chain] = deployment.settings.chains;
  if (chain === undefined) throw new Error("it watches a chain");
  const token = { code: "USDX", address: `0x${"12".repeat(20)}`, decimals: 6 };
  const { settings } = deployment;
  const more = {
    ...deployment,
    settings: { ...settings, chains: [{ ...chain, tokens: [token] }] },
  };
  const edited = await configure(more, 0);
  onTestFinished(() => rm(edited.folder, { recursive: true, force: true }));
  const pending = await doctor({ CHAINBELL_CONFIG: edited.environment["CHAINBELL_CONFIG"] ?? "" });
  expect(pending.saying("watched")).toContain("anvil USDX: look at");

  await daemon.stop();
  await world.anvil.stop();
  const left = await doctor();
  expect(left.saying("deliveries")).toContain("no process sends");
  expect(left.states.get(`endpoint anvil ${rpc}`)).toBe("fault");
  expect(left.states.get("key")).toBe("ok");

  const nowhere = `postgresql://u:secret-word@127.0.0.1:${await freePort()}/x`;
  const gone = await doctor({ DATABASE_URL: nowhere });
  expect(gone.states.get("database")).toBe("fault");
  expect(JSON.stringify(gone.lines)).not.toContain("secret-word");
  const faulty = await runProgram("cli", ["doctor", "--json"], { ...environment, PORT: "many" });
  expect(faulty.status).toBe(3);
  expect(JSON.parse(faulty.stdout).data).toMatchObject([{ what: "configuration" }]);
});
