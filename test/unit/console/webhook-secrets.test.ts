import { expect, test } from "vitest";
import { changeOf, unchanged } from "../../../console/src/pages/webhooks/webhook-secrets.ts";

test.each([
  ["nothing", {}, {}],
  ["a header", { headers: " X-Key :  a: b \n\n" }, { headers: { "X-Key": "a: b" } }],
  ["no headers", { isWithoutHeaders: true }, { headers: null }],
  ["others for all", { isWithoutHeaders: true, headers: "A: b" }, { headers: { A: "b" } }],
  [
    "a certificate",
    { certificate: "PEM\n", privateKey: "KEY" },
    { client_certificate: { certificate: "PEM", private_key: "KEY" } },
  ],
  ["no certificate", { isWithoutCertificate: true }, { client_certificate: null }],
])("%s", (_, written, change) => {
  expect(changeOf({ ...unchanged, ...written })).toEqual({ kind: "change", change });
});

test.each([
  ["a line that is no header", { headers: "A: b\n Bearer x" }, "Bearer x"],
  ["a header without a value", { headers: "A:" }, "A:"],
  ["a header that is there twice", { headers: "A: b\na: c" }, "a: c"],
])("%s is refused", (_, written, line) => {
  expect(changeOf({ ...unchanged, ...written })).toEqual({ kind: "bad_line", line });
});

test.each([{ certificate: "PEM" }, { privateKey: "KEY" }])("%o is refused alone", (written) => {
  expect(changeOf({ ...unchanged, ...written })).toEqual({ kind: "alone" });
});
