import { expect, test } from "vitest";
import { changeOf, unchanged } from "../../../console/src/pages/webhooks/webhook-secrets.ts";

test.each([
  ["nothing", {}, {}],
  ["a header", { headers: " X-Key :  a: b \n\n" }, { headers: { "X-Key": "a: b" } }],
  ["no headers", { isWithoutHeaders: true }, { headers: null }],
  ["others for all", { isWithoutHeaders: true, headers: "A: b" }, { headers: { A: "b" } }],
  ["a line that is no header", { headers: "Bearer x" }, null],
  ["a header without a value", { headers: "A:" }, null],
  ["a certificate without its key", { certificate: "PEM" }, null],
  [
    "a certificate",
    { certificate: "PEM\n", privateKey: "KEY" },
    { client_certificate: { certificate: "PEM", private_key: "KEY" } },
  ],
  ["no certificate", { isWithoutCertificate: true }, { client_certificate: null }],
])("%s", (_, written, change) => {
  expect(changeOf({ ...unchanged, ...written })).toEqual(change);
});
