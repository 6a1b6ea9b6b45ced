import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { brokenNumbersOf } from "../../support/console/broken-numbers.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { plantSighting } from "../../support/console/plant-sighting.ts";
import { runSql } from "../../support/ledger/databases.ts";

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> \u202egnp.exe ${"long ".repeat(20)}`;

/** Where pictures of the pages are kept; none are taken without it. */
const pictures = process.env["CHAINBELL_TEST_SCREENSHOTS"];

type Looks = {
  /** Of the window. */
  width: number;
  /** The themes in which each page is looked at. */
  themes: readonly ["light" | "dark", ...("light" | "dark")[]];
  language: "en" | "de";
};

const both = ["light", "dark"] as const;

/** `npm run console:walk` takes every width, theme and language; `npm test` a few. */
const looks: readonly Looks[] =
  process.env["CHAINBELL_TEST_WALK"] === undefined
    ? [
        { width: 1360, themes: both, language: "en" },
        { width: 360, themes: ["dark"], language: "en" },
      ]
    : [1440, 1024, 768, 360].flatMap((width): Looks[] => [
        { width, themes: both, language: "en" },
        { width, themes: ["light"], language: "de" },
      ]);

/** What a phone on a slow line loads in a second or two. */
const firstPageBytes = 85_000;

/**
 * The name of each page's picture, and its address below /console. `ID` stands for what the list
 * shows first.
 */
const ofBusiness = {
  overview: "/",
  transactions: "/transactions",
  transaction: "/transactions/ID",
  wallets: "/wallets",
  wallet: "/wallets/ID",
  sightings: "/sightings",
  deliveries: "/deliveries",
  delivery: "/deliveries/ID",
  webhooks: "/webhooks",
  keys: "/keys",
  statements: "/statements",
  credits: "/credits",
  sessions: "/signed-in",
};
const ofOperator = {
  attention: "/",
  chains: "/chains",
  chain: "/chains?chain=anvil",
  discrepancies: "/discrepancies",
  outbox: "/outbox",
  "all-deliveries": "/deliveries",
  businesses: "/businesses",
  business: "/businesses/ID",
  "choose-business": "/transactions",
  audit: "/audit",
  health: "/health",
};

describe.skipIf(!hasBrowser)("every page of the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    const { customer, daemon, world } = console;
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, {
      blockchain: "anvil",
      address: `0x${"ab".repeat(20)}`,
      label: "of before",
    });
    // A release before 0.3.0 took such names.
    await runSql(
      console.databaseUrl,
      `UPDATE business SET name = $$${hostile}$$;
       UPDATE wallet SET label = $$${hostile}$$, reference = $$${hostile}$$ WHERE label = 'of before'`,
    );
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, {
      blockchain: "anvil",
      address: `0x${"cd".repeat(20)}`,
      label: "محفظة العميل",
      reference: "הפניה של לקוח",
    });
    for (const amount of [ether, 1n, 123n * ether + 456n]) await console.pay(amount);
    await world.receiver.waitForCount(3);
    await plantSighting(console.databaseUrl, { txHash: `0x${"5e".repeat(32)}`, symbol: hostile });
    const from = new Date().toISOString().slice(0, 8);
    await fetch(`${daemon.url}/statements?from=${from}01&to=${from}02`, {
      headers: { "x-api-key": customer.key },
    }).then((answer) => answer.text());
    // Of a target that was opened for a test nothing is kept: as if each had answered this.
    await runSql(
      console.databaseUrl,
      `UPDATE attempt SET status_code = 200, response = repeat($$${hostile}$$, 60);
      INSERT INTO table_size (table_name, day, at, bytes)
      SELECT relname, current_date - 2, now() - interval '2 days', pg_total_relation_size(oid) * 0.9 FROM pg_class WHERE relkind = 'r'`,
    );
    // As health shows a file that the next start would refuse.
    await writeFile(daemon.configPath, `chains: ["${"long".repeat(40)}"]`);
  });

  it.each(looks)("is whole at $width px, in $language", async (look) => {
    const [theme] = look.themes;
    const business = await console.asBusiness({ width: look.width, theme });
    const operator = await console.asOperator({ width: look.width, theme });
    if (look.language === "en") {
      const { bytes, files } = await firstPage(business.page);
      process.stdout.write(`the console's first page takes ${bytes} bytes\n`);
      expect(files).toBeGreaterThan(4);
      expect(bytes).toBeLessThanOrEqual(firstPageBytes);
    }
    for (const { page } of [business, operator])
      await page.evaluate(`localStorage.setItem("chainbell-language", "${look.language}")`);
    expect(await walk(business.page, ofBusiness, look)).toEqual({});
    const { businessId } = console.customer;
    const ofItsBusiness = {
      "owned-transactions": `/transactions?business_id=${businessId}`,
      "owned-wallets": `/wallets?business_id=${businessId}`,
      "owned-sightings": `/sightings?business_id=${businessId}`,
    };
    const ofAll = { ...ofOperator, ...ofItsBusiness };
    expect(await walk(operator.page, ofAll, look)).toEqual({});
    // Breaches of the policy among them: nothing of a stranger's text has run or was loaded.
    expect([...business.complaints, ...operator.complaints]).toEqual([]);
  });

  /**
   * What a browser loads, compressed, until it shows the first page: without what the page then
   * asks of the API.
   */
  async function firstPage(page: Page) {
    await page.goto(`${console.daemon.url}/console/`);
    await settled(page);
    const sizes = await page.evaluate(() =>
      performance
        .getEntries()
        .flatMap((entry) =>
          "encodedBodySize" in entry &&
          !/\/console\/(?:api|session|sessions|events)(?:\/|\?|$)/.test(entry.name)
            ? [[entry.name, Number(entry.encodedBodySize)] as const]
            : [],
        ),
    );
    const files = new Map(sizes);
    return { bytes: [...files.values()].reduce((sum, size) => sum + size, 0), files: files.size };
  }

  /** What is wrong with each page, in each theme. */
  async function walk(
    page: Page,
    pages: Readonly<Record<string, string>>,
    { width, themes, language }: Looks,
  ) {
    const wrong: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${console.daemon.url}/console${path.replace("/ID", "")}`);
      await settled(page);
      if (path.endsWith("/ID")) {
        await page.locator(".row-link").first().click();
        await page.getByRole("complementary").waitFor();
        await settled(page);
      }
      for (const theme of themes) {
        // The page follows its reader's theme without being loaded again.
        await page.emulateMedia({ colorScheme: theme });
        const look = `${name}-${theme}-${width}-${language}`;
        if (pictures !== undefined)
          await page.screenshot({ path: join(pictures, `${look}.png`), fullPage: true });
        const problems = await problemsOf(page);
        if (problems.length > 0) wrong[look] = problems;
      }
    }
    return wrong;
  }
});

async function problemsOf(page: Page): Promise<string[]> {
  const turned = (await page.locator("body").textContent())?.includes("\u202e");
  return [
    ...(await findViolations(page)),
    ...(await overflowOf(page)),
    ...(await brokenNumbersOf(page)),
    ...(turned ? ["has text that a stranger has turned"] : []),
  ];
}

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("load");
  for (const unfinished of await page.locator(".skeleton").all())
    await unfinished.waitFor({ state: "detached" });
}

/** Whether the page is wider than its window, or something that is drawn wider than its place. */
async function overflowOf(page: Page): Promise<string[]> {
  const width = await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
  const drawn = await page
    .locator(".chart")
    .evaluateAll((places) => places.filter((one) => one.scrollWidth > one.clientWidth).length);
  return [
    ...(width > 0 ? [`is ${width} px wider than the window`] : []),
    ...(drawn > 0 ? [`has ${drawn} drawings wider than their places`] : []),
  ];
}
