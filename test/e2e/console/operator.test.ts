import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { waitFor } from "../../support/wait-for.ts";

describe.skipIf(!hasBrowser)("the console of an operator, in a browser", () => {
  const console = eachConsole();

  it("begins with what needs somebody, and says calmly that nothing does", async () => {
    const { page, complaints } = await console.signInByHand(console.adminToken);
    const well = page.getByRole("heading", { name: "All is well" });
    await page.getByRole("heading", { level: 1, name: "Attention" }).waitFor();
    await well.waitFor();
    const { customer, daemon, world } = console;
    await daemon.admin.must("POST", `/admin/webhooks/${customer.webhookId}/disable`);
    const row = page.getByRole("row", { name: /The webhook is deactivated/ });
    await row.getByText(world.receiver.url).filter({ visible: true }).waitFor();
    await row.getByRole("link", { name: "Acme" }).first().waitFor();
    await page.getByText("One thing needs you. The webhook is deactivated").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByText("Ein Punkt verlangt Handeln. Der Webhook ist abgeschaltet").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Aktivieren" }).click();
    await page.getByRole("heading", { name: "Alles in Ordnung" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows no chain as followed whose endpoint does not answer, and says why", async () => {
    const { page, complaints } = await console.asOperator();
    await page.getByRole("link", { name: "Chains", exact: true }).click();
    const row = page.getByRole("row", { name: /^anvil/ });
    await row.getByText("Following").waitFor();
    await console.world.anvil.kill();
    // The page reads again once a minute, and at once where a person asks for it.
    const isTroubled = async () => {
      await page.reload();
      await row.waitFor();
      const says = (words: string | RegExp) => row.getByText(words).isVisible();
      return (
        (await says("Needs attention")) &&
        (await says(/No endpoint of anvil has answered for [\d.]+\s(s|min)\./))
      );
    };
    await waitFor(isTroubled, { what: "the chain to need attention", timeoutMs: 30_000 });
    expect(complaints).toEqual([]);
  });

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

  it("shows a business's webhooks and signed statements, and pauses one of the webhooks", async () => {
    const { page, complaints } = await console.asOperator();
    const { customer, world } = console;
    await page.getByRole("link", { name: "Businesses", exact: true }).click();
    await page.getByRole("link", { name: "Acme" }).click();
    await page.getByText("No signed statement was given out").waitFor();
    const row = page.getByRole("table", { name: "Webhooks" }).locator("tbody tr");
    await row.getByText(world.receiver.url).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await row.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await row.getByText("somebody paused it").waitFor();
    expect(await customer.api.get("/webhooks")).toMatchObject({ is_active: false });
    expect(complaints).toEqual([]);
  });
});
