import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fieldsAsMarkdown } from "../../support/chain/fields/proved-fields.ts";
import { inCheckout } from "../../support/checkout.ts";

it("the page on security says of each field what proves it, as the test that lies about each does", () => {
  expect(readFileSync(inCheckout("docs", "security.md"), "utf8")).toContain(fieldsAsMarkdown());
});
