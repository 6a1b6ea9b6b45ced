import { expect, test } from "vitest";
import { prettyLines } from "../../../src/development/pretty-log.ts";
import { createLogger } from "../../../src/runtime/logger.ts";
import { createRedaction } from "../../../src/runtime/redaction.ts";

test("a line of the log is one line for a person, still without what is secret", () => {
  const lines: string[] = [];
  const pretty = prettyLines({ isColoured: false });
  const log = createLogger({
    level: "info",
    destination: { write: (line) => lines.push(pretty(line)) },
    redaction: createRedaction(["a-secret"]),
  });
  log.warn({ chain: "anvil", head: 7, url: "http://x/a-secret" }, "chain.held");
  const [line = ""] = lines;
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: chain\.held \{.*"chain":"anvil","head":7/);
  expect(line.trimEnd()).not.toContain("\n");
  expect(line).not.toContain("a-secret");
});
