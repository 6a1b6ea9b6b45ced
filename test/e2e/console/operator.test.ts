import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";

describe.skipIf(!hasBrowser)("the console of an operator, in a browser", () => {
  const console = eachConsole();

  it("names the business of each delivery and receiver", async () => {
    const { page, complaints } = await console.asOperator();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("row", { name: /1 ETH.*Acme/ }).waitFor();
    await page.getByRole("link", { name: "Outbox", exact: true }).click();
    await page
      .getByRole("table", { name: "Receivers" })
      .getByRole("link", { name: "Acme" })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });
});
