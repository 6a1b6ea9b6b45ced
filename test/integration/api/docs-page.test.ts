import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import {
  hasBrowser,
  openPage,
  startBrowser,
  type TestBrowser,
} from "../../support/console/browser.ts";
import { findViolations } from "../../support/console/find-violations.ts";

describe.skipIf(!hasBrowser)("the page of the API, in a browser", () => {
  let api: TestApi;
  let browser: TestBrowser;
  let opened: Awaited<ReturnType<typeof openPage>>;

  // Loaded once: it follows its reader's theme and window.
  beforeAll(async () => {
    api = await openTestApi();
    const url = await api.web.listen({ port: 0, host: "127.0.0.1" });
    browser = await startBrowser();
    opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${url}/docs/`);
    const operation = page.locator("#operations-Balance-getBalance");
    await operation.getByRole("button").first().click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await api.stop();
  });

  test.each([
    { theme: "light", width: 1360 },
    { theme: "dark", width: 360 },
  ] as const)(
    "$theme, $width pixels: axe finds nothing, and the browser has no complaint",
    async ({ theme, width }) => {
      const { page, complaints } = opened;
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 900 });
      expect(await findViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
