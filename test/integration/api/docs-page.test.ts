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
  let url: string;

  beforeAll(async () => {
    api = await openTestApi();
    url = await api.web.listen({ port: 0, host: "127.0.0.1" });
    browser = await startBrowser();
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
    async (look) => {
      const { page, complaints, close } = await openPage(browser, look);
      await page.goto(`${url}/docs/`);
      const operation = page.locator("#operations-Balance-getBalance");
      await operation.getByRole("button").first().click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
