import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { commandsPage } from "../../support/docs/commands-page.ts";
import { llmsList } from "../../support/docs/llms-list.ts";
import { logEventsPage } from "../../support/docs/log-events-page.ts";
import { metricsPage } from "../../support/docs/metrics-page.ts";
import { settingsPage } from "../../support/docs/settings-page.ts";

test("docs/commands.md is made from the commands (vitest -u writes it)", async () => {
  await expect(commandsPage()).toMatchFileSnapshot(inCheckout("docs", "commands.md"));
});

test("docs/metrics.md is made from /metrics (vitest -u writes it)", async () => {
  await expect(await metricsPage()).toMatchFileSnapshot(inCheckout("docs", "metrics.md"));
});

test("docs/log-events.md is made from the table of events (vitest -u writes it)", async () => {
  await expect(logEventsPage()).toMatchFileSnapshot(inCheckout("docs", "log-events.md"));
});

test("docs/settings.md is made from the schema of the file (vitest -u writes it)", async () => {
  await expect(settingsPage()).toMatchFileSnapshot(inCheckout("docs", "settings.md"));
});

test("llms.txt lists the pages (vitest -u writes it)", async () => {
  await expect(llmsList()).toMatchFileSnapshot(inCheckout("llms.txt"));
});

test("llms.txt has a line for each page, with a sentence", () => {
  const lines = llmsList().match(/^- \[.+\]\(.+\.md\).*$/gm) ?? [];
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.filter((line) => !/\): \S.*\.$/.test(line))).toEqual([]);
});
