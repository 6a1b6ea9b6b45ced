import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole, oneEmptyConsole } from "../../support/console/each-console.ts";
import {
  keepPicture,
  pagesOfBusiness,
  pagesOfOperator,
  pagesOfOwned,
  problemsOf,
  tabsOf,
  visit,
} from "../../support/console/walk.ts";

const isWalk = process.env["CHAINBELL_TEST_WALK"] !== undefined;

/** `npm run console:walk` takes every width, theme and page; `npm test` a few. */
const widths = isWalk ? [1440, 1024, 768, 360] : [360];
const themes = isWalk ? (["light", "dark"] as const) : (["light"] as const);
const chosen = (pages: Readonly<Record<string, string>>, few: readonly string[] = []) =>
  Object.entries(pages).filter(([name]) => isWalk || few.includes(name));
const ofBusiness = chosen(pagesOfBusiness, ["deliveries"]);
const ofOperator = chosen(pagesOfOperator, ["outbox"]);

/** Without those that show a row of a list. */
const lists = (pages: readonly [string, string][]) =>
  pages.filter(([, path]) => !path.endsWith("/ID"));

/** What each page of a state has to show, beside being whole. */
type Shows = (page: Page) => Promise<void>;

const nothing: Shows = async () => {};

describe.skipIf(!hasBrowser)("every page of the console that has nothing to show", () => {
  const console = oneConsole();
  const empty = oneEmptyConsole();

  beforeAll(async () => {
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
  });

  type Walked = { url: string; pages: readonly [string, string][]; state: string; shows: Shows };

  /** What is wrong with each page, in each width and theme. It is loaded once. */
  async function walk(page: Page, { url, pages, state, shows }: Walked) {
    const wrong: Record<string, string[]> = {};
    for (const [name, path] of pages) {
      await visit(page, url, path);
      await shows(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of themes) {
          await page.emulateMedia({ colorScheme });
          const look = `${state}-${name}-${colorScheme}-${width}`;
          await keepPicture(page, look);
          const problems = await problemsOf(page);
          if (problems.length > 0) wrong[look] = problems;
        }
      }
    }
    return wrong;
  }

  it("is whole where there is nothing yet, and says so", async () => {
    const { url, admin } = empty.daemon;
    const operator = await empty.asOperator();
    const state = "empty";
    const operated = { url, pages: lists(ofOperator), state, shows: nothing };
    expect(await walk(operator.page, operated)).toEqual({});
    const { id } = await admin.post("/admin/businesses", { name: "New Ltd", verified: true });
    const ofNew = { ...pagesOfOwned(id), ...tabsOf(id), business: `/businesses/${id}` };
    const owned = { url, pages: chosen(ofNew), state: "empty-owned", shows: nothing };
    expect(await walk(operator.page, owned)).toEqual({});
    const { key } = await admin.post(`/admin/businesses/${id}/api-keys`);
    const business = await empty.signIn(key);
    const own = { url, pages: lists(ofBusiness), state, shows: nothing };
    expect(await walk(business.page, own)).toEqual({});
    expect([...business.complaints, ...operator.complaints]).toEqual([]);
  });

  it("is whole where the ledger cannot be read, and says why", async () => {
    const { url } = console.daemon;
    const error = { code: "database_unavailable", message: "PostgreSQL is out of reach." };
    const fails: Shows = (page) => page.getByRole("alert").first().waitFor();
    const owned = chosen(pagesOfOwned(console.customer.businessId));
    for (const { page, pages, complaints } of [
      { ...(await console.asBusiness()), pages: lists(ofBusiness) },
      { ...(await console.asOperator()), pages: [...lists(ofOperator), ...owned] },
    ]) {
      await page.route(/\/console\/(api|sessions)(\/|\?|$)/, (route) =>
        route.fulfill({ status: 503, json: { success: false, error, request_id: "r-1" } }),
      );
      expect(await walk(page, { url, pages, state: "failing", shows: fails })).toEqual({});
      expect(complaints).toEqual([]);
    }
  });

  it("is whole where no changes arrive, and says since when", async () => {
    const { url } = console.daemon;
    const isOld: Shows = (page) => page.getByText(/^As of .*, not live/).waitFor();
    const owned = chosen(pagesOfOwned(console.customer.businessId));
    for (const { page, pages, complaints } of [
      { ...(await console.asBusiness()), pages: ofBusiness },
      { ...(await console.asOperator()), pages: [...ofOperator, ...owned] },
    ]) {
      await page.route(/\/console\/events$/, (route) => route.abort());
      expect(await walk(page, { url, pages, state: "not-live", shows: isOld })).toEqual({});
      expect(complaints).toEqual([]);
    }
  });
});
