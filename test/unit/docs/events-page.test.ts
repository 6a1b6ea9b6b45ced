import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { eventsPage } from "../../support/docs/events-page.ts";

test("docs/events.md is made from the schemas (vitest -u writes it)", async () => {
  await expect(eventsPage()).toMatchFileSnapshot(inCheckout("docs", "events.md"));
});
