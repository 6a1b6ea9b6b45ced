import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileFault } from "../../../src/domain/file-fault.ts";
import { inCheckout } from "../../support/checkout.ts";

const missing = inCheckout("no-such-folder", "file");
const taken = inCheckout("package.json");

test.each([
  [missing, "read", () => readFile(missing), "there is none"],
  [missing, "written", () => writeFile(missing, ""), "its folder does not exist"],
  [
    taken,
    "written",
    () => writeFile(taken, "", { flag: "wx" }),
    "it is there already. Name another one",
  ],
  [inCheckout("src"), "read", () => readFile(inCheckout("src")), "it is a folder"],
] as const)("%s that cannot be %s names the reason", async (path, deed, act, why) => {
  const error = await act().catch((thrown: unknown) => thrown);
  expect(fileFault(path, deed, error)).toMatchObject({
    code: "invalid_request",
    message: `${path} cannot be ${deed}: ${why}.`,
    cause: error,
  });
});

test("a reason that is not known is named by its code, and another error stays", () => {
  const busy = Object.assign(new Error("busy"), { code: "EBUSY" });
  expect(fileFault("a", "written", busy)).toMatchObject({ message: "a cannot be written: EBUSY." });
  const defect = new Error("a defect");
  expect(fileFault("a", "read", defect)).toBe(defect);
});
