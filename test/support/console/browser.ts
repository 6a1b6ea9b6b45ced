import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished, TestRunner } from "vitest";
import { chromiumProgram } from "./chromium-program.ts";

const program = chromiumProgram();

/** Whether this machine has a browser. Without one, what needs it is skipped by name. */
export const hasBrowser = program !== undefined;

/**
 * For whatever is waited for in a browser, its start included. Playwright's own 30 s are too few
 * where other tests have the machine to themselves; this ends only what hangs.
 */
const hangsMs = 240_000;

/** One for all tests of this worker, with which it ends. */
let running: Promise<Browser> | null = null;

/**
 * A browser without a window, which knows nothing of what tests before have seen in it. `close`
 * closes its pages. Those that a test has opened are closed at its end: they would go on to ask and
 * to draw.
 */
export async function startBrowser(): Promise<TestBrowser> {
  // Its sandbox needs a user of its own, and the tests may run as root.
  running ??= chromium.launch({
    executablePath: program ?? "",
    args: ["--no-sandbox"],
    timeout: hangsMs,
  });
  const browser = await running;
  const opened: BrowserContext[] = [];
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      opened.push(context);
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close());
      return context;
    },
    async close() {
      for (const context of opened.splice(0)) await context.close();
    },
  };
}

/** The part of a browser that tests use. */
export type TestBrowser = Pick<Browser, "newContext"> & { close: () => Promise<void> };

/**
 * `locale`: what the reader speaks, as the browser says it; left out: English. `zone`: where the
 * reader's clock stands; left out: as the machine's.
 */
export type Look = { width: number; theme: "light" | "dark"; locale?: string; zone?: string };

/**
 * A page of its own, with cookies of its own. `complaints`: what the browser said against the page,
 * among it every breach of its policy.
 */
export async function openPage(
  browser: TestBrowser,
  { width, theme, locale = "en-US", zone }: Look = { width: 1360, theme: "light" },
): Promise<{ page: Page; complaints: string[]; close: () => Promise<void> }> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    locale,
    reducedMotion: "reduce",
    ...(zone === undefined ? {} : { timezoneId: zone }),
  });
  context.setDefaultTimeout(hangsMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const isOfStatus = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfStatus) complaints.push(message.text());
  });
  return { page, complaints, close: () => context.close() };
}
