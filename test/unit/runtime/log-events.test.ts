import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logEvents } from "../../../src/runtime/log-events.ts";
import { inCheckout } from "../../support/checkout.ts";

/** Events whose name is put together where they are logged. */
const composed = /^alert\.(began|lasts)$|^history\.not_|\.(forgotten|joined|started|stopped)$/;

test("the source logs every event of the table: the compiler refuses all others", () => {
  const source = readdirSync(inCheckout("src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("generated"))
    .filter((path) => path !== join("runtime", "log-events.ts"))
    .map((path) => readFileSync(inCheckout("src", path), "utf8"))
    .join("\n");
  const events = Object.values(logEvents).flatMap((ofLevel) => Object.keys(ofLevel));
  const written = events.filter((event) => !composed.test(event));
  expect(written.length).toBeGreaterThan(100);
  expect(written.filter((event) => !source.includes(`"${event}"`))).toEqual([]);
});
