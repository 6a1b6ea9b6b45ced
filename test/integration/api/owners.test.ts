import { expect, test } from "vitest";
import { type Owner, ownerOfWork } from "../../../src/runtime/on-behalf.ts";
import { entered } from "../../support/api/browser.ts";
import { adminToken, openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";

let owners: (Owner | null)[] = [];

function noting<Args extends unknown[], Result>(call: (...args: Args) => Result) {
  return (...args: Args): Result => {
    owners.push(ownerOfWork());
    return call(...args);
  };
}

const api = eachTest(
  () => {
    owners = [];
    return openTestApi((deps) => ({
      // Asked after the body was read, and before anything else of the request is.
      claimRequest(request) {
        owners.push(ownerOfWork());
        return deps.claimRequest(request);
      },
      readHoldings(businessId) {
        owners.push(ownerOfWork());
        return deps.readHoldings(businessId);
      },
      console: deps.console && {
        ...deps.console,
        ledger: {
          ...deps.console.ledger,
          listSessions: noting(deps.console.ledger.listSessions),
        },
        audited: noting(deps.console.audited),
      },
    }));
  },
  (one) => one.stop(),
);

test("a request works on behalf of its business, with a body and without, and an operator's of that person", async () => {
  await api.get("/balance");
  const once = { "idempotency-key": "1" };
  await api.web.inject({
    method: "POST",
    url: "/webhooks",
    headers: { "x-api-key": api.key, ...once },
    payload: { url: "https://a.example" },
  });
  await api.web.inject({
    method: "POST",
    url: "/admin/businesses",
    headers: { authorization: `Bearer ${adminToken}`, ...once },
    payload: { name: "New" },
  });
  const business = { kind: "business", name: api.businessId };
  expect(owners).toEqual([business, business, { kind: "operator", name: "ops" }]);
  expect(ownerOfWork()).toBeNull();
});

test("a session begins, is listed and ends on behalf of its owner", async () => {
  const business = { kind: "business", name: api.businessId };
  const operator = { kind: "operator", name: "ops" };
  const one = await entered(api, { api_key: api.key });
  await one.ask("GET", "/sessions");
  // The session of before ends.
  await one.enter({ admin_token: adminToken });
  await one.ask("GET", "/sessions");
  await one.ask("DELETE", "/session");
  expect(owners).toEqual([business, business, operator, business, operator, operator]);
});
