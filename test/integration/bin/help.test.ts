import { expect, test } from "vitest";
import { createSetup } from "../../../src/app/setup/setup.ts";
import { byteFiles } from "../../../src/bin/cli/byte-files.ts";
import { runCli } from "../../../src/bin/cli/run-cli.ts";
import { inCheckout } from "../../support/checkout.ts";
import { quiet } from "../../support/quiet.ts";

/** Runs a command line that needs no ledger. */
async function run(...args: string[]) {
  let stdout = "";
  let stderr = "";
  const status = await runCli(args, {
    openLedger: () => Promise.reject(new Error("help opens no ledger")),
    setup: createSetup({}, inCheckout(), byteFiles, () => quiet),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    user: "operator",
    redact: (text) => text,
    showProgress: () => ({ update() {}, end() {} }),
  });
  return { status, stdout, stderr };
}

test("help says which options a command cannot do without", async () => {
  const { stdout } = await run("close", "month", "--help");
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
    /--month <month> the month, such as 2026-10 \(required\)/,
  );
  expect(stdout).not.toMatch(/UTC by default \(required\)/);
});

test("help says what an argument is", async () => {
  expect((await run("webhook", "recover", "--help")).stdout).toMatch(/id +the id of the webhook/);
  expect((await run("chain", "reset", "--help")).stdout).toMatch(/name +the name of the chain/);
});

test("a command line that is not complete names what lacks, and where to look", async () => {
  expect(await run("close", "month", "--out", "x")).toEqual({
    status: 1,
    stdout: "",
    stderr:
      "chainbell: required option '--month <month>' not specified\nAdd --help to see what it takes.\n",
  });
});

test("a noun alone lists its commands, as help does", async () => {
  const { status, stderr } = await run("wallet");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Usage: chainbell wallet /);
  expect(stderr).not.toContain("Add --help");
});
