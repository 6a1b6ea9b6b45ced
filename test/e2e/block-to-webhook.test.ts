import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Figures } from "../../bench/block-to-webhook/figures.ts";
import { inCheckout } from "../support/checkout.ts";
import { eachFolder } from "../support/each-folder.ts";
import { endWithUs } from "../support/process/reaper.ts";

const folder = eachFolder();

test("the benchmark for others counts what a system loses", async () => {
  const json = folder.pathOf("figures.json");
  const systems = ["--system", "poller", "--system", "chainbell-postgres"];
  const script = ["--rounds", "1", "--blocks", "8", "--every", "50", "--patience", "8"];
  const faults = ["--fault", "refused"];
  const command = [inCheckout("scripts", "run.mjs"), "block-to-webhook"];
  const child = spawn(
    process.execPath,
    [...command, ...systems, ...faults, ...script, "--json", json],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const reaped = endWithUs(child.pid ?? 0);
  const [status] = await once(child, "exit");
  reaped.forget();
  expect(status).toBe(0);
  const figures = JSON.parse(await readFile(json, "utf8")) as Figures;
  const [poller, chainbell] = figures.systems.map(({ outcomes }) => outcomes);
  const whole = { paid: 40, lost: 0, doubled: 0 };
  expect(poller?.none).toMatchObject(whole);
  // Nothing of it is tried again.
  expect(poller?.refused).toMatchObject({ paid: 40, lost: 4, doubled: 0 });
  expect(chainbell?.none).toMatchObject(whole);
  expect(chainbell?.refused).toMatchObject(whole);
});
