import { expect, it } from "vitest";
import { runProgram } from "../support/process/daemon.ts";

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
