import { afterEach, beforeEach, expect, test } from "vitest";
import { failedCredentialLimit } from "../../../../src/domain/business/rate-limit.ts";
import type { OperatorSignIn } from "../../../../src/domain/console/operator-sign-in.ts";
import { consoleHost, openBrowser } from "../../../support/api/browser.ts";
import { openTestApi, type TestApi } from "../../../support/api/test-api.ts";
import {
  type Account,
  clientId,
  clientSecret,
  startIdentityProvider,
} from "../../../support/console/identity-provider.ts";
import { createResources } from "../../../support/resources.ts";

const consoleOrigin = `https://${consoleHost}`;
const refused = (code: string) => `/console/?refused=${code}`;

const ada: Account = {
  ...{ sub: "ada", email: "ada@example.com", email_verified: true },
  groups: ["staff", "payments-oncall"],
};

let api: TestApi;
let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let resources: ReturnType<typeof createResources>;

beforeEach(async () => {
  resources = createResources();
  provider = await resources.open(
    startIdentityProvider(`${consoleOrigin}/console/openid/answer`),
    (one) => one.stop(),
  );
  api = await resources.open(openApi(provider.issuer), (one) => one.stop());
  provider.signInAs(ada);
});

afterEach(() => resources.end());

function openApi(issuer: string): Promise<TestApi> {
  const operatorSignIn: OperatorSignIn = {
    ...{ issuer, clientId, clientSecret, consoleOrigin, scopes: ["email", "groups"] },
    ...{ claim: "groups", operators: ["payments-oncall"], viewers: ["payments"] },
  };
  return openTestApi(({ console }) => ({
    failedCredentialLimit,
    console: console && { ...console, operatorSignIn },
  }));
}

type Browser = ReturnType<typeof openBrowser>;

/** Follows the link to the provider; answers where that sends the browser back to, as path and query. */
async function goThere(browser: Browser): Promise<string> {
  const begun = await browser.ask("GET", "/openid");
  browser.cookie = cookieIn(begun.headers["set-cookie"], "chainbell-sign-in");
  const { pathname, search } = new URL(await provider.visit(String(begun.headers["location"])));
  return `${pathname}${search}`;
}

/** Where the console leads a browser that comes back so. */
async function comeBack(browser: Browser, path: string): Promise<string> {
  const came = await browser.ask("GET", path.slice("/console".length));
  expect(came.statusCode).toBe(303);
  browser.cookie = cookieIn(came.headers["set-cookie"], "chainbell-console");
  return String(came.headers["location"]);
}

/** The pair of a cookie that was set, or none. */
function cookieIn(header: string | string[] | undefined, name: string): string {
  const lines = [header ?? []].flat();
  return lines.find((line) => line.startsWith(`__Host-${name}=`))?.split(";")[0] ?? "";
}

test.each([
  ["an operator", ["payments-oncall", "payments"], "operator"],
  ["a viewer", ["payments"], "viewer"],
])("lets in %s, on record by name, for as long as any session", async (_what, groups, role) => {
  provider.signInAs({ ...ada, groups });
  const browser = openBrowser(api.web);
  expect(await comeBack(browser, await goThere(browser))).toBe("/console/");
  const { data } = (await browser.ask("GET", "/session")).json();
  expect(data).toMatchObject({ kind: "operator", role, business: null });
  browser.token = data.token;
  expect(await browser.outcome("GET", "/api/admin/businesses")).toEqual([200]);
  const name = "oidc:ada@example.com";
  const [listed] = (await browser.ask("GET", "/sessions")).json().data;
  expect(listed).toMatchObject({ way: "oidc", name, role });

  const created = await browser.outcome("POST", "/api/admin/businesses", { name: "New" });
  expect(created).toEqual(role === "operator" ? [201] : [403, "role_missing"]);
  const entries: object[] = (await api.admin("GET", "/audit")).json().data;
  const actions = role === "operator" ? ["business.create", "console.enter"] : ["console.enter"];
  expect(entries.slice(0, actions.length)).toMatchObject(
    actions.map((action) => ({ action, actor: name })),
  );
  expect(await browser.outcome("DELETE", "/session")).toEqual([204]);
  expect(await browser.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
});

test("an address that is not verified names nobody", async () => {
  provider.signInAs({ ...ada, email_verified: false });
  const browser = openBrowser(api.web);
  await comeBack(browser, await goThere(browser));
  const [listed] = (await browser.ask("GET", "/sessions")).json().data;
  expect(listed.name).toBe("oidc:ada");
});

test("says which ways in there are", async () => {
  expect((await openBrowser(api.web).ask("GET", "/ways")).json().data).toEqual({ oidc: true });
});

test.each([
  ["has no role", { ...ada, groups: ["staff"] }, "role_missing"],
  ["refuses to sign in", null, "invalid_sign_in"],
])("lets nobody in who %s", async (_what, account, code) => {
  provider.signInAs(account);
  const browser = openBrowser(api.web);
  expect(await comeBack(browser, await goThere(browser))).toBe(refused(code));
  expect(browser.cookie).toBe("");
});

test.each<[what: string, change: (path: string, browser: Browser) => Promise<string>]>([
  [
    "in a browser that has not begun",
    async (path, browser) => {
      browser.cookie = "";
      return path;
    },
  ],
  [
    "in another browser that has begun",
    async (path, browser) => {
      await goThere(browser);
      return path;
    },
  ],
  [
    "a second time",
    async (path, browser) => {
      const { cookie } = browser;
      await comeBack(browser, path);
      browser.cookie = cookie;
      return path;
    },
  ],
  ["with another state", async (path) => path.replace(/state=[^&]*/, "state=other")],
  ["without a state", async (path) => path.replace(/state=[^&]*/, "")],
  [
    "of another issuer",
    async (path) => path.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example"),
  ],
  ["with a code that somebody guessed", async (path) => path.replace(/code=[^&]*/, "code=guess")],
])("an answer is refused %s", async (_what, change) => {
  const browser = openBrowser(api.web);
  const path = await change(await goThere(browser), browser);
  expect(await comeBack(browser, path)).toBe(refused("invalid_sign_in"));
  expect(browser.cookie).toBe("");
});

test("what one address guesses is refused after twenty times, before the provider is asked", async () => {
  const guess = () => comeBack(openBrowser(api.web), "/console/openid/answer?code=guess");
  for (let count = 0; count < 20; count += 1)
    expect(await guess()).toBe(refused("invalid_sign_in"));
  expect(await guess()).toBe(refused("rate_limited"));
});

test("a provider that cannot be reached is nobody's fault", async () => {
  await provider.stop();
  const begun = await openBrowser(api.web).ask("GET", "/openid");
  expect(begun.headers["location"]).toBe(refused("identity_provider_unavailable"));
});

test("the sessions that began there are over where it is configured no more", async () => {
  const browser = openBrowser(api.web);
  await comeBack(browser, await goThere(browser));
  const { cookie } = browser;
  const other = await resources.open(openTestApi({}), (one) => one.stop());
  const [session] = await api.db.consoleSession.findMany();
  if (session === undefined) throw new Error("There is no session.");
  await other.db.consoleSession.create({ data: session });
  const there = Object.assign(openBrowser(other.web), { cookie });
  expect(await there.outcome("GET", "/api/admin/businesses")).toEqual([
    401,
    "console_session_over",
  ]);
});
