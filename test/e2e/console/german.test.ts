import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser, openPage } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";

const german = { width: 1360, theme: "light", locale: "de-AT" } as const;

describe.skipIf(!hasBrowser)("the console in German, in a browser", () => {
  const console = oneConsole();

  it("shows a reader of German why a payment is credited, and words a refusal", async () => {
    const { page, complaints } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill("cb_made-up");
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("alert").getByText("Diesen API-Schlüssel gibt es nicht.").waitFor();
    await secret.fill(console.customer.key);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();

    await console.pay(1_234n * ether + 5n);
    await page.getByRole("link", { name: "Transaktionen", exact: true }).click();
    await page.getByRole("link", { name: /1\s234,000000000000000005 ETH/ }).click();
    const panel = page.getByRole("complementary");
    await panel.locator(".step-done", { hasText: "1 von 1 Bestätigung" }).waitFor();
    await panel.locator(".step-done", { hasText: "1 Versuch" }).waitFor();
    await panel.getByText(/\(vor \d+ (Sek|Min)\.\)|\(jetzt\)/).waitFor();
    const sought = page.getByRole("combobox", { name: "Suche" });
    await sought.fill("1234,000000000000000005 ETH");
    await page.getByRole("option", { name: /Einzahlung · Abgeschlossen · anvil/ }).waitFor();
    await sought.fill("Nr. 1");
    await page.getByRole("option", { name: /Einzahlung\s*anvil 1/ }).waitFor();
    const operator = await console.asOperator();
    await operator.page.getByRole("button", { name: "Deutsch" }).click();
    await operator.page.getByRole("combobox", { name: "Suche" }).fill("anvil");
    await operator.page.getByRole("option", { name: /anvil\s*Chain-Id 31337/ }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("asks before a change of language takes what was written", async () => {
    const { page } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill(console.customer.key);
    await secret.press("Enter");
    await page.getByRole("link", { name: "Eigene Gutschriften", exact: true }).click();
    const credits = page.getByLabel("Ihre Gutschriften als CSV");
    await credits.fill("transaction_id,asset");
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole("button", { name: "English" }).click();
    expect(asked).toEqual([expect.stringContaining("nicht gespeichert")]);
    expect(await credits.inputValue()).toBe("transaction_id,asset");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Own credits" }).waitFor();
  });

  it("words what a webhook wants, and what was changed", async () => {
    const { page } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill(console.customer.key);
    await secret.press("Enter");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText(/^alle außer fremden Token; /).waitFor();
    const filter = { events: ["transaction.deposit"], min_amount: { ETH: "0.5" } };
    await console.customer.api.must("PATCH", `/webhooks/${console.customer.webhookId}`, { filter });
    await page.reload();
    await page.getByText("Einzahlung · Mindestbeträge: ETH 0.5", { exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    const operator = await console.asOperator();
    await operator.page.getByRole("button", { name: "Deutsch" }).click();
    await operator.page.getByRole("link", { name: "Protokoll", exact: true }).click();
    const row = operator.page.getByRole("row", { name: /Webhook geändert/ }).first();
    await row.getByText("Ereignisse transaction.deposit").waitFor();
    expect(await findViolations(operator.page)).toEqual([]);
    await operator.page.getByRole("link", { name: "Chains", exact: true }).click();
    await operator.page.getByRole("link", { name: "anvil" }).click();
    await operator.page.getByText(/^Hat gezeigt: Receipts eines ganzen Blocks, Traces/).waitFor();
    await operator.page.getByText(/^Hat nicht: .*Ankündigung neuer Blöcke/).waitFor();
    // What no code says is marked as English.
    await operator.page.getByText(/^nach ihren Dokumenten/).waitFor();
    await operator.page.locator("[lang=en]", { hasText: "the tests of this project" }).waitFor();
    expect(await findViolations(operator.page)).toEqual([]);
  });

  it("words what is wrong with ledger and audit trail, and what blocks a month", async () => {
    const { databaseUrl, customer } = console;
    await console.pay(1_250n * ether);
    await console.world.receiver.waitForCount(1);
    await runSql(
      databaseUrl,
      `SET session_replication_role = replica;
      UPDATE balance SET confirmed = confirmed + 1;
      UPDATE audit_entry SET subject = 'another' WHERE id = (SELECT entry_id FROM audit_place WHERE seq = 1);
      INSERT INTO discrepancy (wallet_id, asset_id, chain_name, at_number, ledger_amount, chain_amount, seen_at)
      SELECT w.id, a.id, 'anvil', 9, 1250500000000000000000, 2000000000000000000, now() FROM wallet w, asset a
      WHERE a.code = 'ETH'`,
    );
    const operator = await console.asOperator();
    await operator.page.getByRole("button", { name: "Deutsch" }).click();
    await operator.page.getByRole("link", { name: "Abweichungen", exact: true }).click();
    await operator.page.getByRole("button", { name: "Summen des Hauptbuchs prüfen" }).click();
    const wallet = customer.wallets[0].wallet_id;
    await operator.page
      .getByText(new RegExp(`^Wallet ${wallet}, Asset \\d+: Der Bestand`))
      .waitFor();
    expect(await findViolations(operator.page)).toEqual([]);
    await operator.page.getByRole("link", { name: "Protokoll", exact: true }).click();
    await operator.page.getByRole("button", { name: "Kette der Einträge prüfen" }).click();
    await operator.page.getByText(/: Eintrag 1 wurde geändert$/).waitFor();

    const business = await console.asBusiness();
    await business.page.getByRole("button", { name: "Deutsch" }).click();
    await business.page.getByRole("link", { name: "Auszüge", exact: true }).click();
    const difference = /^Bei Block 9 hat das Hauptbuch 1\s250,5 ETH, die Chain 2\.$/;
    await business.page.getByText(difference).waitFor();
    // The ledger is checked once more when the test ends.
    await runSql(databaseUrl, "UPDATE balance SET confirmed = confirmed - 1");
  });

  it("words a malformed credit, the configuration's faults and changes, and a failing channel", async () => {
    const { page } = await console.asBusiness();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("link", { name: "Eigene Gutschriften", exact: true }).click();
    const credits = [
      "transaction_id,asset,amount,reference,credited_at",
      `${console.customer.businessId},ETH,1,c-1,${new Date().toISOString()}`,
      "ETH",
    ];
    await page.getByLabel("Ihre Gutschriften als CSV").fill(credits.join("\n"));
    await page.getByRole("button", { name: "Vergleichen", exact: true }).click();
    const faults = page.getByText("Erwartet sind 5 Zellen, es sind 1.");
    await faults.filter({ visible: true }).first().waitFor();

    await writeFile(console.daemon.configPath, `chains: ["anvil"]`);
    await runSql(
      console.databaseUrl,
      `INSERT INTO alert_message (id, channel, message, failure, failure_code, failure_values)
       VALUES (gen_random_uuid(), 'slack', '{}', 'It answered 403 no', 'answered', '{"answer": "403 no"}')`,
    );
    const operator = await console.asOperator();
    await operator.page.getByRole("button", { name: "Deutsch" }).click();
    await operator.page.getByText("chains[0] Erwartet sind Schlüssel mit Werten.").waitFor();
    await operator.page.getByText("Er antwortete: 403 no").waitFor();
    await operator.page.getByRole("link", { name: "Zustand", exact: true }).click();
    await operator.page.getByText("chains[0]: Erwartet sind Schlüssel mit Werten.").waitFor();
    await operator.page.getByRole("link", { name: "Protokoll", exact: true }).click();
    await operator.page.getByText("Chain anvil · Änderung Chain hinzugefügt; Asset ETH").waitFor();
    expect(await findViolations(operator.page)).toEqual([]);
  });

  it("words what the API refuses, by the lines of a file and by the fields of a form", async () => {
    const { daemon, customer } = console;
    const { page } = await console.asOperator();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.goto(`${daemon.url}/console/businesses/${customer.businessId}`);
    await page.getByRole("button", { name: "Wallets hinzufügen" }).click();
    const dialog = page.getByRole("dialog");
    const [{ address: taken }] = customer.wallets;
    const fresh = `0x${"ef".repeat(20)}`;
    const write = (...rows: string[]) =>
      dialog.getByLabel("Oder hier schreiben").fill(["blockchain,address", ...rows].join("\n"));
    await write(`anvil,${fresh}`, `anvil,${fresh}`, `mars,0x${"ee".repeat(20)}`);
    await dialog.getByRole("button", { name: "3 Wallets hinzufügen" }).click();
    const lines = dialog.getByRole("alert").getByRole("listitem");
    await lines.first().waitFor();
    expect(await lines.allTextContents()).toEqual([
      "Zeile 4: blockchain: Erwartet ist eine der konfigurierten Chains: anvil.",
      "Zeile 3: address: Die Adresse steht schon an anderer Stelle: Zeile 2.",
    ]);
    await write(`anvil,${fresh}`, `anvil,${taken}`);
    await dialog.getByRole("button", { name: "2 Wallets hinzufügen" }).click();
    await lines.getByText(/^Zeile 3:/).waitFor();
    expect(await lines.allTextContents()).toEqual([
      expect.stringMatching(
        `^Zeile 3: address: .+ \\(${customer.businessId}\\) hat diese Adresse schon\\.$`,
      ),
    ]);
    expect(await findViolations(page)).toEqual([]);
  });

  it("is loaded for those alone who ask for it, and stays chosen", async () => {
    const { page, complaints } = await console.asBusiness();
    const isLoaded = () =>
      page.evaluate(() =>
        performance.getEntries().some(({ name }) => /\/de-[^/]+\.js$/.test(name)),
      );
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(await isLoaded()).toBe(false);
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();
    expect(await isLoaded()).toBe(true);
    await page.reload();
    await page.getByRole("link", { name: "Auszüge", exact: true }).click();
    await page.getByRole("heading", { name: /^Was den Abschluss von/ }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Statements" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
