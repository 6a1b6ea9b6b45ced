import { expect, test } from "vitest";
import { workLimits } from "../../../../src/domain/business/rate-limit.ts";
import type { OperatorSignIn } from "../../../../src/domain/console/operator-sign-in.ts";
import { openBrowser } from "../../../support/api/browser.ts";
import { openTestApi } from "../../../support/api/test-api.ts";
import { ada, comeBack, cookiesOf, openSignIn, refused } from "../../../support/console/sign-in.ts";
import { eachTest } from "../../../support/each-test.ts";

type Browser = ReturnType<typeof openBrowser>;

const signIn = eachTest(
  () => openSignIn({ viewers: ["payments", "support"] }),
  (one) => one.end(),
);

test.each([
  ["an operator", ["payments-oncall", "payments"], "operator"],
  ["a viewer", ["payments"], "viewer"],
])("lets in %s, on record by name, for as long as any session", async (_what, groups, role) => {
  signIn.provider.signInAs({ ...ada, groups });
  const browser = openBrowser(signIn.api.web);
  expect(await comeBack(browser, await signIn.goThere(browser))).toBe("/console/");
  const { data } = (await browser.ask("GET", "/session")).json();
  expect(data).toMatchObject({ kind: "operator", role, business: null });
  browser.token = data.token;
  expect(await browser.outcome("GET", "/api/admin/businesses")).toEqual([200]);
  const name = "oidc:ada@example.com";
  const [listed] = (await browser.ask("GET", "/sessions")).json().data;
  expect(listed).toMatchObject({ way: "oidc", name, role });

  const created = await browser.outcome("POST", "/api/admin/businesses", { name: "New" });
  expect(created).toEqual(role === "operator" ? [201] : [403, "role_missing"]);
  const entries: object[] = (await signIn.api.admin("GET", "/audit")).json().data;
  const actions = role === "operator" ? ["business.create", "console.enter"] : ["console.enter"];
  expect(entries.slice(0, actions.length)).toMatchObject(
    actions.map((action) => ({ action, actor: name })),
  );
  expect(await browser.outcome("DELETE", "/session")).toEqual([204]);
  expect(await browser.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
});

test("an address that is not verified names nobody", async () => {
  signIn.provider.signInAs({ ...ada, email_verified: false });
  const browser = openBrowser(signIn.api.web);
  await comeBack(browser, await signIn.goThere(browser));
  const [listed] = (await browser.ask("GET", "/sessions")).json().data;
  expect(listed.name).toBe("oidc:ada");
});

test.each([
  ["NUL", "ada\u0000@example.com"],
  ["an escape of terminals", "ada\u001b[2J@example.com"],
  ["a turn of the text", "ada\u202e@example.com"],
])("lets nobody in whose name has %s, and puts no such name on record", async (_what, email) => {
  signIn.provider.signInAs({ ...ada, email });
  const browser = openBrowser(signIn.api.web);
  const path = await signIn.goThere(browser);
  expect(await comeBack(browser, path)).toBe(refused("invalid_sign_in"));
  expect(await signIn.api.db.auditEntry.count({ where: { action: "console.enter" } })).toBe(0);
});

test.each<[what: string, paths: (browser: Browser) => Promise<[string, () => Promise<string>]>]>([
  [
    "before it signed in again",
    async (browser) => [await signIn.goThere(browser), () => signIn.goThere(browser)],
  ],
  [
    "of the tab that came back first",
    async (browser) => {
      const [first, second] = [await signIn.goThere(browser), await signIn.goThere(browser)];
      return [first, async () => second];
    },
  ],
])("the session that the browser had %s is over", async (_what, paths) => {
  const browser = openBrowser(signIn.api.web);
  const [first, second] = await paths(browser);
  await comeBack(browser, first);
  const { cookie } = browser;
  const old = Object.assign(openBrowser(signIn.api.web), { cookie });
  expect(await old.outcome("GET", "/session")).toEqual([200]);
  await comeBack(browser, await second());
  expect(await old.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
  expect(await browser.outcome("GET", "/session")).toEqual([200]);
});

test("a sign-in that ends nowhere leaves the session open, and so does one that is refused", async () => {
  const browser = openBrowser(signIn.api.web);
  await comeBack(browser, await signIn.goThere(browser));
  const path = await signIn.goThere(browser);
  expect(await browser.outcome("GET", "/session")).toEqual([200]);
  await comeBack(browser, path.replace(/code=[^&]*/, "code=guess"));
  expect(await browser.outcome("GET", "/session")).toEqual([200]);
});

test("what comes along from another site opens nothing", async () => {
  const browser = openBrowser(signIn.api.web);
  await comeBack(browser, await signIn.goThere(browser));
  const [, digest = ""] = /-digest=(\w+)/.exec(browser.cookie) ?? [];
  expect(digest).toHaveLength(64);
  for (const name of ["__Host-chainbell-console-digest", "__Host-chainbell-console"]) {
    const other = Object.assign(openBrowser(signIn.api.web), { cookie: `${name}=${digest}` });
    expect(await other.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
  }
});

test("tabs of one browser sign in side by side, in any order", async () => {
  const browser = openBrowser(signIn.api.web);
  const paths = [await signIn.goThere(browser), await signIn.goThere(browser)];
  const [first = "", second = ""] = paths;
  const third = await signIn.goThere(browser);
  expect(await comeBack(browser, second)).toBe("/console/");
  expect(await comeBack(browser, second)).toBe(refused("invalid_sign_in"));
  expect(await comeBack(browser, first.replace(/code=[^&]*/, "code=guess"))).toBe(
    refused("invalid_sign_in"),
  );
  expect(await comeBack(browser, third)).toBe("/console/");
  // Those of the session.
  expect(cookiesOf(browser)).toHaveLength(2);
  expect(await browser.outcome("GET", "/session")).toEqual([200]);
});

test("a browser keeps few sign-ins under way, and the newest of them", async () => {
  const browser = openBrowser(signIn.api.web);
  const paths: string[] = [];
  for (let count = 0; count < 12; count += 1) paths.push(await signIn.goThere(browser));
  expect(cookiesOf(browser)).toHaveLength(8);
  expect(browser.cookie.length).toBeLessThan(1_200);
  const [oldest = ""] = paths;
  expect(await comeBack(browser, oldest)).toBe(refused("invalid_sign_in"));
  for (const path of paths.slice(-2)) expect(await comeBack(browser, path)).toBe("/console/");
});

test("says which ways in there are", async () => {
  expect((await openBrowser(signIn.api.web).ask("GET", "/ways")).json().data).toEqual({
    oidc: true,
  });
});

test.each([
  ["has no role", { ...ada, groups: ["staff"] }, "role_missing"],
  ["refuses to sign in", null, "invalid_sign_in"],
])("lets nobody in who %s", async (_what, account, code) => {
  signIn.provider.signInAs(account);
  const browser = openBrowser(signIn.api.web);
  expect(await comeBack(browser, await signIn.goThere(browser))).toBe(refused(code));
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
  ["in another browser that has begun", async () => signIn.goThere(openBrowser(signIn.api.web))],
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
  const browser = openBrowser(signIn.api.web);
  const path = await change(await signIn.goThere(browser), browser);
  expect(await comeBack(browser, path)).toBe(refused("invalid_sign_in"));
  expect(await browser.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
});

test("what one address guesses is refused after twenty times, before the provider is asked", async () => {
  const guess = async () => {
    const browser = openBrowser(signIn.api.web);
    const path = await signIn.goThere(browser);
    return comeBack(browser, path.replace(/code=[^&]*/, "code=guess"));
  };
  for (let count = 0; count < 20; count += 1)
    expect(await guess()).toBe(refused("invalid_sign_in"));
  expect(await guess()).toBe(refused("rate_limited"));
});

test("what one address guesses at once is refused too", async () => {
  const browsers = Array.from({ length: 40 }, () => openBrowser(signIn.api.web));
  const paths: string[] = [];
  for (const browser of browsers) paths.push(await signIn.goThere(browser));
  const guess = (browser: Browser, at: number) =>
    comeBack(browser, (paths[at] ?? "").replace(/code=[^&]*/, "code=guess"));
  const answers = await Promise.all(browsers.map(guess));
  const asked = answers.filter((answer) => answer === refused("invalid_sign_in"));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(25);
  expect(answers.filter((answer) => answer === refused("rate_limited"))).toHaveLength(
    40 - asked.length,
  );
});

test("pages of others whose pictures are answers to no sign-in keep nobody out", async () => {
  const browser = openBrowser(signIn.api.web);
  const path = await signIn.goThere(browser);
  // The cookie of a sign-in comes with no picture.
  const picture = () => comeBack(openBrowser(signIn.api.web), "/console/openid/answer?code=guess");
  for (let count = 0; count < 25; count += 1)
    expect(await picture()).toBe(refused("invalid_sign_in"));
  expect(await comeBack(browser, path)).toBe("/console/");
});

test("wrong keys of the same address keep nobody from signing in", async () => {
  const browser = openBrowser(signIn.api.web);
  const path = await signIn.goThere(browser);
  const wrong = { api_key: "nonsense" };
  for (let count = 0; count < 21; count += 1) await openBrowser(signIn.api.web).enter(wrong);
  const limited = [429, "rate_limited"];
  expect(await openBrowser(signIn.api.web).outcome("POST", "/session", wrong)).toEqual(limited);
  expect(await comeBack(browser, path)).toBe("/console/");
});

test("an operator begins so many sessions at a time, and is not counted as one who guesses", async () => {
  const limits = { workLimits: { ...workLimits, sign_in: { perSecond: 0.001, burst: 2 } } };
  const { api, provider, goThere } = await signIn.open(openSignIn({}, limits), (one) => one.end());
  const come = async () => {
    const browser = openBrowser(api.web);
    return comeBack(browser, await goThere(browser));
  };
  expect([await come(), await come()]).toEqual(["/console/", "/console/"]);
  for (let count = 0; count < 20; count += 1) expect(await come()).toBe(refused("rate_limited"));
  provider.signInAs({ ...ada, sub: "bob", email: "bob@example.com" });
  expect(await come()).toBe("/console/");
});

test("a provider that cannot be reached is nobody's fault", async () => {
  await signIn.provider.stop();
  const begun = await openBrowser(signIn.api.web).ask("GET", "/openid");
  expect(begun.headers["location"]).toBe(refused("identity_provider_unavailable"));
});

type Settings = OperatorSignIn;
const over = [401, "console_session_over"];

test.each<[what: string, change: (settings: Settings) => Settings | null, outcome: unknown[]]>([
  ["nothing of the sign-in has changed but the order of words", reordered, [200]],
  ["its secret has changed", (settings) => ({ ...settings, clientSecret: "another" }), [200]],
  ["it is configured no more", () => null, over],
  ["the role has other values", (one) => ({ ...one, operators: [], viewers: ["staff"] }), over],
  ["it is another provider", (one) => ({ ...one, issuer: "https://other.example" }), over],
  ["it asks for a stronger method", (settings) => ({ ...settings, acrValues: ["phr"] }), over],
])("a session that began there ends or stays: %s", async (_what, change, outcome) => {
  const browser = openBrowser(signIn.api.web);
  await comeBack(browser, await signIn.goThere(browser));
  const { cookie } = browser;
  const other = await signIn.open(
    openTestApi(({ console }) => ({
      console: console && { ...console, operatorSignIn: change(settingsOf()) },
    })),
    (one) => one.stop(),
  );
  const [session] = await signIn.api.db.consoleSession.findMany();
  if (session === undefined) throw new Error("There is no session.");
  await other.db.consoleSession.create({ data: session });
  const there = Object.assign(openBrowser(other.web), { cookie });
  expect(await there.outcome("GET", "/api/admin/businesses")).toEqual(outcome);
});

function settingsOf(): Settings {
  const settings = signIn.api.deps.console?.operatorSignIn ?? null;
  if (settings === null) throw new Error("Operators sign in there.");
  return settings;
}

function reordered(settings: Settings): Settings {
  return { ...settings, viewers: [...settings.viewers].reverse() };
}
