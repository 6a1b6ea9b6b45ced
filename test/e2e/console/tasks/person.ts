import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

/** Clicks and submitted texts that a task may take. */
const mostSteps = 4;

/** Who sits at a page. Each of these is a step. */
export type Person = {
  page: Page;
  click: (at: Locator) => Promise<void>;
  /** Writes a text. A filter or a check takes it as it is written. */
  write: (into: Locator, text: string) => Promise<void>;
  /** Writes a text and submits it with Enter, or where Enter begins a line with another key. */
  submit: (into: Locator, text: string, key?: string) => Promise<void>;
  /** Takes one of the words of a list. */
  choose: (from: Locator, words: string) => Promise<void>;
};

/** The panel beside a list. */
export function panelOf(page: Page): Locator {
  return page.getByRole("complementary");
}

/** The texts of the cells of each row of a table. */
export async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.getByRole("cell").allTextContents()));
}

type SignedIn = { page: Page; complaints: string[] };

/**
 * Tasks of one person, who signs in once. Each begins at the first page, and knows names and no
 * addresses. A task fails that takes more than four steps. Their steps and seconds are printed at
 * the end.
 */
export function tasksOf(signIn: () => Promise<SignedIn>) {
  let signedIn: SignedIn;
  const lines: string[] = [];
  beforeAll(async () => {
    signedIn = await signIn();
  });
  afterAll(() => void process.stdout.write(`${lines.join("\n")}\n`));

  return (number: number, title: string, work: (person: Person) => Promise<void>) => {
    it(`${number}: ${title}`, async () => {
      const { page, complaints } = signedIn;
      await page.goto(new URL("/console/", page.url()).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      let steps = 0;
      const step = async (done: Promise<unknown>) => {
        steps += 1;
        await done;
      };
      const beganMs = performance.now();
      await work({
        page,
        click: (at) => step(at.click()),
        write: (into, text) => step(into.fill(text)),
        submit: (into, text, key = "Enter") => step(into.fill(text).then(() => into.press(key))),
        choose: (from, words) => step(from.selectOption({ label: words })),
      });
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      lines.push(`task ${number}: ${steps} steps, ${seconds} s: ${title}`);
      expect(steps).toBeLessThanOrEqual(mostSteps);
      expect(complaints).toEqual([]);
    });
  };
}
