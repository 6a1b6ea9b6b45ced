import { expect, test } from "vitest";
import { errorCodes } from "../../../src/api/answers/error-codes.ts";
import { guidedCodes } from "../../../src/api/description/error-guides.ts";
import { faultCodes } from "../../../src/domain/fault.ts";
import { inCheckout } from "../../support/checkout.ts";
import { errorsPage } from "../../support/docs/errors-page.ts";

test("docs/errors.md is made from the guides of the codes (vitest -u writes it)", async () => {
  await expect(errorsPage()).toMatchFileSnapshot(inCheckout("docs", "errors.md"));
});

test("every code that is answered or ends a start is on the page once", () => {
  const [answered = [], setup = []] = guidedCodes().map(({ codes }) =>
    codes.map(({ anchor }) => anchor),
  );
  expect(new Set(answered)).toEqual(new Set(errorCodes.keys()));
  expect([...answered, ...setup].sort()).toEqual(
    [...new Set([...errorCodes.keys(), ...faultCodes])].sort(),
  );
});
