import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiDeps } from "../../../../src/api/api.ts";
import { type Browser, entered, linkOf } from "../../../support/api/browser.ts";
import {
  adminToken,
  insertStranger,
  openTestApi,
  type TestApi,
} from "../../../support/api/test-api.ts";

let api: TestApi;
/** Whose holdings were read, in order. */
let read: string[];
let fails: boolean;
/** The business whose holdings are answered later, and when. */
let held: { businessId: string; until: Promise<void> } | null;

function counted({ readHoldings }: ApiDeps): Partial<ApiDeps> {
  return {
    async readHoldings(businessId) {
      read.push(businessId);
      const isFirst = read.length === 1;
      if (businessId === held?.businessId) await held.until;
      const holdings = await readHoldings(businessId);
      if (fails && isFirst) throw new Error("The first one fails.");
      return holdings;
    },
  };
}

beforeEach(async () => {
  [read, fails, held] = [[], false, null];
  api = await openTestApi(counted);
});

afterEach(() => api.stop());

const headers = { "x-console-background": "1", "accept-encoding": "gzip" };

/** What the page of the browser asks by itself. */
const reread = (browser: Browser, path: string) =>
  browser.outcome("GET", `/api${path}`, undefined, { headers });

const over = [401, "console_session_over"];

describe("what pages ask by themselves at the same moment", () => {
  test("is read once for each business, and answered to each session that is open", async () => {
    const { key, businessId } = await insertStranger(api);
    const [one, viewer, left, stranger] = [
      await entered(api, { api_key: api.key }),
      await entered(api, { link: await linkOf(api) }),
      await entered(api, { api_key: api.key }),
      await entered(api, { api_key: key }),
    ];
    await left.ask("DELETE", "/session");
    const asked = [one, viewer, left, stranger, one].map((browser) => reread(browser, "/balance"));
    expect(await Promise.all(asked)).toEqual([[200], [200], over, [200], [200]]);
    expect(read.sort()).toEqual([api.businessId, businessId].sort());
  });

  test("is the same answer, header by header, compressed or not", async () => {
    const [one, other] = [
      await entered(api, { admin_token: adminToken }),
      await entered(api, { admin_token: adminToken }),
    ];
    for (const path of ["/audit", "/status", "/webhooks"]) {
      const [first, second] = await Promise.all(
        [one, other].map((browser) =>
          browser.ask("GET", `/api/admin${path}`, undefined, { headers }),
        ),
      );
      const shown = ({ headers: all, ...answer }: NonNullable<typeof first>) => [
        ...[answer.statusCode, answer.rawPayload.toString("hex")],
        { ...all, "x-request-id": "", date: "" },
      ];
      if (first === undefined || second === undefined) throw new Error("Both were answered.");
      expect(shown(second)).toEqual(shown(first));
      expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    }
  });

  test("is asked again by those whose answer failed for another", async () => {
    fails = true;
    const [one, other] = [
      await entered(api, { api_key: api.key }),
      await entered(api, { api_key: api.key }),
    ];
    const asked = [one, other].map((browser) => reread(browser, "/balance"));
    // Either may have been the first.
    expect((await Promise.all(asked)).map(([status]) => status).sort()).toEqual([200, 500]);
    expect(read).toHaveLength(2);
  });

  test("is never answered with what was read before it was asked", async () => {
    const one = await entered(api, { api_key: api.key });
    expect(await reread(one, "/balance")).toEqual([200]);
    expect(await reread(one, "/balance")).toEqual([200]);
    expect(read).toHaveLength(2);
  });

  test("is no question of somebody who looks: those are answered each by itself", async () => {
    const one = await entered(api, { api_key: api.key });
    const asked = [one, one].map((browser) => browser.outcome("GET", "/api/balance"));
    expect(await Promise.all(asked)).toEqual([[200], [200]]);
    expect(read).toHaveLength(2);
  });
});

describe("a business that floods", () => {
  /** One that does not take gzip is answered by itself. */
  const unshared = { headers: { "x-console-background": "1" } };

  test("waits for its own turns alone: another one, a person and a refusal do not wait", async () => {
    const { key } = await insertStranger(api);
    const [flooding, stranger, left] = [
      await entered(api, { api_key: api.key }),
      await entered(api, { api_key: key }),
      await entered(api, { api_key: key }),
    ];
    await left.ask("DELETE", "/session");
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    held = { businessId: api.businessId, until };
    const flood = Array.from({ length: 102 }, () =>
      flooding.outcome("GET", "/api/balance", undefined, unshared),
    );
    // One is worked on, a hundred wait, and the next is refused.
    expect(await Promise.race(flood)).toEqual([429, "rate_limited"]);
    expect(await reread(stranger, "/balance")).toEqual([200]);
    expect(await reread(left, "/balance")).toEqual(over);
    expect(await flooding.outcome("GET", "/api/wallets")).toEqual([200]);
    expect(read.filter((businessId) => businessId === api.businessId)).toHaveLength(1);
    release();
    const statuses = (await Promise.all(flood)).map(([status]) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(101);
  });
});
