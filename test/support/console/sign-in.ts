import { expect } from "vitest";
import type { ApiDeps } from "../../../src/api/api.ts";
import { failedCredentialLimit } from "../../../src/domain/business/rate-limit.ts";
import type { OperatorSignIn } from "../../../src/domain/console/operator-sign-in.ts";
import { consoleHost, type openBrowser } from "../api/browser.ts";
import { openTestApi } from "../api/test-api.ts";
import { createResources } from "../resources.ts";
import {
  type Account,
  clientId,
  clientSecret,
  startIdentityProvider,
} from "./identity-provider.ts";

type Browser = ReturnType<typeof openBrowser>;

const consoleOrigin = `https://${consoleHost}`;

/** An operator. */
export const ada: Account = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  groups: ["staff", "payments-oncall"],
};

/**
 * An API whose operators sign in at an identity provider of its own, where Ada sits in front of the
 * browser.
 */
export async function openSignIn(
  own: Partial<OperatorSignIn> = {},
  limits: Partial<Pick<ApiDeps, "workLimits">> = {},
) {
  const { open, end } = createResources();
  try {
    const provider = await open(
      startIdentityProvider(`${consoleOrigin}/console/openid/answer`),
      (one) => one.stop(),
    );
    provider.signInAs(ada);

    const operatorSignIn: OperatorSignIn = {
      issuer: provider.issuer,
      clientId,
      clientSecret,
      consoleOrigin,

      scopes: ["email", "groups"],
      claim: "groups",

      operators: ["payments-oncall"],
      viewers: ["payments"],

      acrValues: [],
      maxAgeS: null,
      ...own,
    };
    const api = await open(
      openTestApi(({ console }) => ({
        failedCredentialLimit,
        ...limits,
        console: console && { ...console, operatorSignIn },
      })),
      (one) => one.stop(),
    );

    /**
     * Follows the link to the provider; answers where that sends the browser back to, as path and
     * query.
     */
    async function goThere(browser: Browser): Promise<string> {
      const begun = await browser.ask("GET", "/openid");
      keepCookies(browser, begun.headers["set-cookie"]);
      const url = await provider.visit(String(begun.headers["location"]));
      const { pathname, search } = new URL(url);
      return `${pathname}${search}`;
    }

    return { api, provider, open, goThere, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Where the console leads a browser that comes back so, from the provider's site. */
export async function comeBack(browser: Browser, path: string): Promise<string> {
  const sent = cookiesOf(browser).filter((pair) => nameOf(pair) !== strictCookie);
  const headers = { cookie: sent.join("; "), "sec-fetch-site": "cross-site" };
  const came = await browser.ask("GET", path.slice("/console".length), undefined, { headers });
  expect(came.statusCode).toBe(303);
  keepCookies(browser, came.headers["set-cookie"]);
  return String(came.headers["location"]);
}

/** The cookie with SameSite=Strict. */
const strictCookie = "__Host-chainbell-console";

/** Where a browser is led that was refused for this. */
export const refused = (code: string) => `/console/?refused=${code}`;

/**
 * Keeps the cookies that were set, oldest first, and drops those that were cleared (RFC 6265
 * section 5.3).
 */
function keepCookies(browser: Browser, header: string | string[] | undefined): void {
  for (const line of [header ?? []].flat()) {
    const [pair = ""] = line.split(";");
    const isCleared = /; Max-Age=0(;|$)/.test(line);
    const kept = cookiesOf(browser).filter((one) => nameOf(one) !== nameOf(pair));
    browser.cookie = [...kept, ...(isCleared ? [] : [pair])].join("; ");
  }
}

/** The pairs of the browser's cookies, oldest first. */
export function cookiesOf({ cookie }: Browser): string[] {
  return cookie === "" ? [] : cookie.split("; ");
}

function nameOf(pair: string): string {
  const [name = ""] = pair.split("=");
  return name;
}
