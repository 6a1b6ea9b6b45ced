import { createHook } from "node:async_hooks";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

test("the description of the API is compressed once, however many ask for it", async () => {
  let compressions = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "ZLIB") compressions += 1;
    },
  }).enable();
  const ask = () =>
    api.web.inject({ url: "/openapi.json", headers: { "accept-encoding": "gzip" } });
  const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
  hook.disable();
  for (const answer of answers) {
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString("utf8")).openapi).toBe("3.1.0");
  }
  expect(compressions).toBe(1);
});
