import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { plantSighting } from "../../support/console/plant-sighting.ts";
import {
  keepPicture,
  pagesOfBusiness,
  pagesOfOperator,
  pagesOfOwned,
  panelsOf,
  problemsOf,
  problemsOfTheme,
  settled,
  tabsOf,
  visit,
} from "../../support/console/walk.ts";
import { untilOnRecord } from "../../support/delivery/until-on-record.ts";
import { runSql } from "../../support/ledger/databases.ts";

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> \u202egnp.exe ${"long ".repeat(20)}`;

type Theme = "light" | "dark";

/** A language, and how each page is looked at in it: it is loaded in the first width. */
type Looks = {
  language: "en" | "de";
  shown: readonly { width: number; themes: readonly Theme[] }[];
};

const both = ["light", "dark"] as const;

const isWalk = process.env["CHAINBELL_TEST_WALK"] !== undefined;

/** The panels that `npm test` looks at: one with money, and one with long details. */
const few = new Set(["business-deliveries", "business-audit"]);

/** `npm run console:walk` takes every width, theme and language; `npm test` a few. */
const looks: readonly Looks[] = isWalk
  ? (["en", "de"] as const).map(
      (language): Looks => ({
        language,
        shown: [360, 768, 1024, 1440].map((width) => ({
          width,
          themes: language === "en" ? both : ["light"],
        })),
      }),
    )
  : [
      {
        language: "en",
        shown: [
          { width: 360, themes: ["dark"] },
          { width: 1360, themes: both },
        ],
      },
    ];

/** What a phone on a slow line loads in a second or two. */
const firstPageBytes = 90_000;

/** 1.6 Mbit/s, and 150 ms for each round trip: a phone far from a mast. */
const slowLine = { bytesPerSecond: 200_000, roundTripMs: 150 };

describe.skipIf(!hasBrowser)("every page of the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    const { customer, daemon } = console;
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
    await untilOnRecord(customer, 3);
    await plantSighting(console.databaseUrl, { txHash: `0x${"5e".repeat(32)}`, symbol: hostile });
    const from = new Date().toISOString().slice(0, 8);
    await fetch(`${daemon.url}/statements?from=${from}01&to=${from}02`, {
      headers: { "x-api-key": customer.key },
    }).then((answer) => answer.text());
    // Of a target that was opened for a test nothing is kept: as if each had answered this.
    await runSql(
      console.databaseUrl,
      `UPDATE attempt SET status_code = 200, response = repeat($$${hostile}$$, 60);
      INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code, error_kind, response)
      SELECT d.id, d.webhook_id, 100 + n, now() - n * interval '20 minutes', 100 * n, CASE WHEN n % 3 > 0 THEN 503 END,
        CASE WHEN n % 3 = 0 THEN 'timeout' END, CASE WHEN n % 3 > 0 THEN repeat($$${hostile}$$, 3) END
      FROM (SELECT * FROM delivery ORDER BY id LIMIT 1) d, generate_series(1, 20) n;
      INSERT INTO chain_lag (chain_name, at, seconds)
      SELECT 'anvil', date_trunc('minute', now()) - n * interval '10 minutes', n FROM generate_series(1, 20) n;
      INSERT INTO endpoint_sample (chain_name, at, name, latency_ms, failures)
      SELECT 'anvil', date_trunc('minute', now()) - n * interval '10 minutes', e.name, 100 + 7 * n % 50, 100 - n
      FROM generate_series(1, 20) n, (VALUES ('a.example'), ('quite-a-long-name.of-an-endpoint.example')) e (name);
      INSERT INTO outbox_sample (at, waiting, held)
      SELECT date_trunc('minute', now()) - n * interval '10 minutes', 1000 * n, n FROM generate_series(1, 20) n;
      INSERT INTO table_size (table_name, day, at, bytes)
      SELECT relname, current_date - 2, now() - interval '2 days', pg_total_relation_size(oid) * 0.9 FROM pg_class WHERE relkind = 'r'`,
    );
    // As health shows a file that the next start would refuse.
    await writeFile(daemon.configPath, `chains: ["${"long".repeat(40)}"]`);
  });

  it.each(looks)("is whole in each width and theme, in $language", async (look) => {
    const business = await console.asBusiness();
    const operator = await console.asOperator();
    if (look.language === "en") {
      const { bytes, files } = await firstPage(business.page);
      process.stdout.write(`the console's first page takes ${bytes} bytes\n`);
      expect(files).toBeGreaterThan(4);
      expect(bytes).toBeLessThanOrEqual(firstPageBytes);
    }
    for (const { page } of [business, operator])
      await page.evaluate(`localStorage.setItem("chainbell-language", "${look.language}")`);
    const { businessId, wallets } = console.customer;
    const statement = `/statements?wallet_id=${wallets[0].wallet_id}`;
    expect(await walk(business.page, { ...pagesOfBusiness, statement }, look)).toEqual({});
    const panels = Object.entries({ ...tabsOf(businessId), ...panelsOf(businessId) });
    const looked = Object.fromEntries(panels.filter(([name]) => isWalk || few.has(name)));
    const ofAll = { ...pagesOfOperator, ...pagesOfOwned(businessId), ...looked };
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

  it("shows its first content on a slow line", async () => {
    const { page } = await console.asBusiness();
    const line = await page.context().newCDPSession(page);
    await line.send("Network.setCacheDisabled", { cacheDisabled: true });
    await line.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: slowLine.roundTripMs,
      downloadThroughput: slowLine.bytesPerSecond,
      uploadThroughput: slowLine.bytesPerSecond,
    });
    await page.reload({ waitUntil: "commit" });
    const shown = await page.waitForFunction(() => {
      const isThere = document.querySelector("h1") !== null;
      return isThere && document.querySelector(".skeleton") === null && performance.now();
    });
    const ms = Math.round(Number(await shown.jsonValue()));
    process.stdout.write(`the console's first content takes ${ms} ms on a slow line\n`);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  /** What is wrong with each page, in each width and theme. */
  async function walk(
    page: Page,
    pages: Readonly<Record<string, string>>,
    { shown, language }: Looks,
  ) {
    const wrong: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(pages)) {
      // The page follows its reader's window and theme without being loaded again.
      for (const [place, { width, themes }] of shown.entries()) {
        await page.setViewportSize({ width, height: 900 });
        if (place === 0) await visit(page, console.daemon.url, path);
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme });
          const look = `${name}-${theme}-${width}-${language}`;
          await keepPicture(page, look);
          const problems = await (theme === themes[0] ? problemsOf(page) : problemsOfTheme(page));
          if (problems.length > 0) wrong[look] = problems;
        }
      }
    }
    return wrong;
  }
});
