import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser, openPage } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";

describe.skipIf(!hasBrowser)("sessions of the console, in a browser", () => {
  const console = eachBusiness();

  it("lets a viewer in by a link, once, who changes nothing", async () => {
    const { daemon, customer } = console;
    const { path } = await daemon.admin.post(
      `/admin/businesses/${customer.businessId}/console-link`,
      { role: "viewer" },
    );
    const { page, complaints } = await openPage(console.browser);
    await page.goto(daemon.url + path);
    await page.getByText("Viewer").waitFor();
    expect(page.url()).toBe(`${daemon.url}/console/`);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    expect(await page.getByRole("button", { name: "Rotate secret" }).isDisabled()).toBe(true);

    const other = await openPage(console.browser);
    await other.page.goto(daemon.url + path);
    await other.page.getByRole("alert").waitFor();
    await other.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await findViolations(other.page)).toEqual([]);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it("offers what the key may do, and says of the rest that the key may not", async () => {
    const { customer, daemon } = console;
    await console.asBusiness();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { key } = await daemon.admin.post(`/admin/businesses/${customer.businessId}/api-keys`, {
      label: "hooks",
      scopes: ["read", "webhooks"],
    });
    const { page, complaints } = await console.signIn(key);
    const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
    const goTo = (name: string) => page.getByRole("link", { name, exact: true }).click();
    const withheld = async (name: string) => {
      await button(name).waitFor();
      expect([name, await button(name).isDisabled()]).toEqual([name, true]);
      expect(await button(name).getAttribute("title")).toBe(
        "Your key or token lacks the right to do this.",
      );
    };

    await goTo("Webhooks");
    expect(await button("Rotate secret").isDisabled()).toBe(false);
    await goTo("API keys");
    await withheld("Create key");
    await withheld("Revoke");
    await goTo("Sessions");
    await withheld("Link for a developer");
    await withheld("End");
    await goTo("Own credits");
    await withheld("Compare");
    await goTo("Deliveries");
    expect(await button("Recover").isDisabled()).toBe(false);
    await page.locator(".row-link").first().click();
    await withheld("Send again");
    expect(complaints).toEqual([]);
  });

  it("lets a second person in by a link that a developer made, until that key is revoked", async () => {
    const { page, complaints } = await console.asBusiness();
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByRole("button", { name: "Link for a viewer" }).click();
    const link = (await page.getByText(/\/console\/enter#cbl_/).textContent()) ?? "";
    const second = await openPage(console.browser);
    await second.page.goto(link);
    await second.page.getByText("Viewer").waitFor();
    await second.page.getByRole("link", { name: "Sessions", exact: true }).click();
    const make = second.page.getByRole("button", { name: "Link for a viewer" });
    expect(await make.isDisabled()).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    expect([...complaints, ...second.complaints]).toEqual([]);

    const [key] = await console.customer.api.get("/api-keys");
    await console.daemon.admin.must("DELETE", `/admin/api-keys/${key.id}`);
    // The second person has no key, and is out with the one behind the link.
    await second.page.getByRole("dialog", { name: "Sign in" }).getByRole("alert").waitFor();
  });

  it("ends with its key, and says so", async () => {
    const { page } = await console.asBusiness();
    const [key] = await console.customer.api.get("/api-keys");
    await console.daemon.admin.must("DELETE", `/admin/api-keys/${key.id}`);
    // Whoever goes on is asked to sign in; the page may have noticed before, and then there is no
    // link.
    await page
      .getByRole("link", { name: "Wallets", exact: true })
      .evaluateAll((links: HTMLElement[]) => {
        for (const link of links) link.click();
      });
    // The page below may say too that its first question was refused.
    await page.getByRole("dialog", { name: "Sign in" }).getByRole("alert").waitFor();
  });

  it("keeps what a dialog has while a session ends and another begins", async () => {
    const { page } = await console.asBusiness();
    const { customer, world } = console;
    const url = `${world.receiver.url}/kept`;
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("button", { name: "Add another" }).click();
    const dialog = page.getByRole("dialog", { name: "Add another" });
    await dialog.getByLabel("URL").fill(url);
    await runSql(console.databaseUrl, "UPDATE console_session SET ended_at = now()");
    await dialog.getByLabel("URL").press("Enter");
    const gate = page.getByRole("dialog", { name: "Sign in" });
    await gate.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await gate.getByLabel("API key or operator's token").fill(customer.key);
    await gate.getByRole("button", { name: "Sign in" }).click();
    await gate.waitFor({ state: "detached" });
    expect(await dialog.getByLabel("URL").inputValue()).toBe(url);
    await dialog.getByLabel("URL").press("Enter");
    await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .waitFor();
  });

  it("asks nothing under the sign-in, and goes on where another page of the browser signs in", async () => {
    const { page, complaints } = await console.asBusiness();
    const { daemon, customer, world, databaseUrl } = console;
    await page.clock.install();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    // The page loads the code that draws once there is something to draw.
    await page.locator(".chart canvas").first().waitFor();
    // The sign-in asks for the ways in, once, some time after it is shown.
    const ways = page.waitForResponse(`${daemon.url}/console/ways`);
    await runSql(databaseUrl, "UPDATE console_session SET ended_at = now()");
    const gate = page.getByRole("dialog", { name: "Sign in" });
    await gate.getByRole("alert").waitFor();
    await ways;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await console.pay(ether);
    await world.receiver.waitForCount(1);
    // Pages read again at least once a minute.
    await page.clock.runFor(180_000);
    expect(asked).toEqual([]);

    const enter = async (businessId: string) => {
      const { path } = await daemon.admin.post(`/admin/businesses/${businessId}/console-link`);
      const other = await page.context().newPage();
      await other.goto(daemon.url + path);
      await other.getByRole("link", { name: "Skip to the content" }).waitFor();
    };
    await enter(customer.businessId);
    await gate.waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    const elsewhere = await daemon.admin.post("/admin/businesses", {
      name: "Elsewhere",
      verified: true,
    });
    await enter(elsewhere.id);
    await page.getByText("Elsewhere", { exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("does not ask by itself again what a recovery would send, which would count as use", async () => {
    const { page, complaints } = await console.asBusiness();
    await page.clock.install();
    await page.reload();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") keys.push(request.headers()["idempotency-key"]);
    });
    await page.getByRole("button", { name: "Recover" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("0 notifications of this time were not delivered.").waitFor();
    await console.pay(ether);
    await page.locator("td", { hasText: "Delivered" }).first().waitFor();
    // Pages read again at least once a minute.
    await page.clock.runFor(180_000);
    const again = page.waitForResponse(/\/recover$/);
    await dialog.getByLabel("Created from").fill("2026-01-01T00:00");
    await again;
    // No answer to a question is kept for its key.
    expect(keys).toEqual([undefined, undefined]);
    expect(complaints).toEqual([]);
  });

  it("opens nothing with a cookie that was made up, copied and then ended, or that has expired", async () => {
    const { page } = await console.asBusiness();
    const [own] = await page.context().cookies();
    if (own === undefined) throw new Error("There is no cookie.");
    const elsewhere = async (cookie: typeof own) => {
      const other = await openPage(console.browser);
      await other.page.context().addCookies([cookie]);
      await other.page.goto(`${console.daemon.url}/console/transactions`);
      return other;
    };
    const signIn = (of: typeof page) => of.getByRole("button", { name: "Sign in" }).waitFor();
    const invented = await elsewhere({ ...own, value: "A".repeat(own.value.length) });
    await signIn(invented.page);
    const thief = await elsewhere(own);
    await thief.page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page);
    // Without being touched: the page hears of it.
    await signIn(thief.page);

    const again = await console.asBusiness();
    await runSql(console.databaseUrl, "UPDATE console_session SET expires_at = now()");
    await signIn(again.page);
    await again.page.getByRole("dialog", { name: "Sign in" }).getByRole("alert").waitFor();
    expect([...invented.complaints, ...thief.complaints]).toEqual([]);
  });
});
