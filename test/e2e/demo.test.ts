import { expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { runProgram } from "../support/process/daemon.ts";
import { npmStart, signalGroup, startTimeoutMs } from "../support/process/npm-start.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";

it("the demo makes the whole journey and ends with status 0", async () => {
  const { status, stdout, stderr } = await runProgram("demo", [], {});
  expect([status, stderr]).toEqual([0, ""]);
  for (const step of [
    "native deposit",
    "token deposit",
    "withdrawal",
    "heard the third time",
    "GET /balance",
    "Done",
  ]) {
    expect(stdout).toContain(step);
  }
});

it("kept, it goes on with consoles that have something to show, until Ctrl-C", async () => {
  const running = npmStart({}, ["run", "-s", "demo", "--", "--keep"]);
  const { child, output, ended } = running;
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${output()}`);
      return output().includes("until Ctrl-C");
    },
    { what: "the links", timeoutMs: startTimeoutMs },
  );
  const shop = await openConsole(output(), "Corner Shop");
  const failures = async () => (await shop.get("/console/api/webhooks")).consecutive_failures;
  // The receiver has answered before that is on record.
  await waitForCount(failures, 1, { what: "failures on record", timeoutMs: startTimeoutMs });
  const exchange = await openConsole(output(), "Northwind Exchange");
  const [reversed] = await exchange.get("/console/api/transactions?status=reversed");
  expect(reversed).toMatchObject({ type: "deposit", amount: "3", asset: "ETH" });
  const operator = await openConsole(output(), "operator");
  const { chains } = await operator.get("/console/api/admin/status");
  expect(chains[0].discrepancies).toBe(1);
  const businesses: { name: string }[] = await operator.get("/console/api/admin/businesses");
  expect(businesses.map(({ name }) => name).sort()).toEqual([
    ...["Corner Shop", "Demo Ltd", "Northwind Exchange"],
  ]);
  // The build removes code, and most tests run the sources.
  const [, url = ""] = /(http:\S+)\/console\/enter/.exec(output()) ?? [];
  const noText = await fetch(`${url}/console/wallets/%E0%A4%A`);
  expect([noText.status, await noText.text()]).toEqual([200, expect.stringMatching(/^<!doctype/i)]);
  signalGroup(child, "SIGINT");
  expect([await ended, output().includes("nothing is left running")]).toEqual([0, true]);
});

/** Comes in by the link that was printed for this name. */
async function openConsole(output: string, name: string) {
  const [, url = "", link = ""] =
    new RegExp(`^  ${name} +(http://\\S+?)/console/enter#(\\S+)$`, "m").exec(output) ?? [];
  const headers = { origin: url };
  const entered = await client(url, headers).call("POST", "/console/session", { link });
  expect([name, entered.status]).toEqual([name, 201]);
  const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
  return client(url, { ...headers, cookie });
}
