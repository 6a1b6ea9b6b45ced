import { join } from "node:path";
import type { Page } from "playwright-core";
import { brokenNumbersOf } from "./broken-numbers.ts";
import { findViolations, findViolationsOfColour } from "./find-violations.ts";

/**
 * The name of each page's picture, and its address below /console. `ID` stands for what the list
 * shows first.
 */
export const pagesOfBusiness = {
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
export const pagesOfOperator = {
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

/** The same of the pages on which an operator sees what one business has. */
export const pagesOfOwned = (businessId: string) => ({
  "owned-transactions": `/transactions?business_id=${businessId}`,
  "owned-wallets": `/wallets?business_id=${businessId}`,
  "owned-sightings": `/sightings?business_id=${businessId}`,
});

/** The tabs of a business, beside the list of businesses. */
export const tabsOf = (businessId: string) =>
  Object.fromEntries(
    ["wallets", "transactions", "deliveries", "webhooks", "keys", "statements", "audit"].map(
      (tab) => [`business-${tab}`, `/businesses/${businessId}?tab=${tab}`],
    ),
  );

/** The panels in which an operator sees a thing of one business. */
export const panelsOf = (businessId: string) => ({
  "owned-transaction": `/transactions/ID?business_id=${businessId}`,
  "owned-wallet": `/wallets/ID?business_id=${businessId}`,
  "owned-delivery": `/deliveries/ID?business_id=${businessId}`,
});

/** Opens a page by its address below /console, and waits until nothing of it is awaited. */
export async function visit(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/console${path.replace("/ID", "")}`);
  await settled(page);
  if (!path.includes("/ID")) return;
  await page.locator(".row-link").first().click();
  await page.getByRole("complementary").waitFor();
  await settled(page);
}

/** Where pictures of the pages are kept; none are taken without it. */
const pictures = process.env["CHAINBELL_TEST_SCREENSHOTS"];

/** Keeps a picture of the page, where pictures are kept. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined)
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Everything that is wrong with how a page is drawn. */
export async function problemsOf(page: Page): Promise<string[]> {
  return [...(await findViolations(page)), ...(await problemsOfLayout(page))];
}

/** The same of a page that has changed nothing but its theme since it was looked at. */
export async function problemsOfTheme(page: Page): Promise<string[]> {
  return [...(await findViolationsOfColour(page)), ...(await problemsOfLayout(page))];
}

async function problemsOfLayout(page: Page): Promise<string[]> {
  const turned = (await page.locator("body").textContent())?.includes("\u202e");
  return [
    ...(await overflowOf(page)),
    ...(await brokenNumbersOf(page)),
    ...(await blanksOf(page)),
    ...(turned ? ["has text that a stranger has turned"] : []),
  ];
}

/** Waits until nothing of the page is awaited. */
export async function settled(page: Page): Promise<void> {
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

/** The parts of the page that have a title at most, and neither words nor a field. */
async function blanksOf(page: Page): Promise<string[]> {
  const blank = await page.locator(".card:visible").evaluateAll((cards) =>
    cards.flatMap((card) => {
      const parts = [...card.children].filter((part) => !part.classList.contains("card-head"));
      const says = parts.some(
        (part) => part.textContent?.trim() !== "" || part.querySelector("input, textarea") !== null,
      );
      return says ? [] : [card.textContent ?? ""];
    }),
  );
  return blank.map((title) => `has a part without words: ${title}`);
}
