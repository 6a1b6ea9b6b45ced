import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import type { BusinessRole } from "../../../src/domain/console/session.ts";
import type { TestApi } from "./test-api.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What somebody comes in with. */
export type Credential = { link: string } | { api_key: string } | { admin_token: string };

type Extra = { headers?: Record<string, string>; address?: string };

/**
 * As a browser on a page of the console: it keeps the cookie, says from where it asks, and sends
 * the token with changes.
 */
export type Browser = {
  /** As the cookie's pair in a header; empty before somebody came in. */
  cookie: string;
  token: string;
  enter: (credential: Credential, extra?: Extra) => Promise<LightMyRequestResponse>;
  /** `path` without /console. */
  ask: (
    method: Method,
    path: string,
    body?: object,
    extra?: Extra,
  ) => Promise<LightMyRequestResponse>;
  /** Status and error code of asking. */
  outcome: (method: Method, path: string, body?: object, extra?: Extra) => Promise<unknown[]>;
};

export const consoleHost = "console.example";

export function openBrowser(web: Pick<FastifyInstance, "inject">): Browser {
  const send = (method: Method, path: string, body: object | undefined, extra: Extra = {}) =>
    web.inject({
      method,
      url: `/console${path}`,
      remoteAddress: extra.address ?? "203.0.113.7",
      headers: {
        host: consoleHost,
        "sec-fetch-site": "same-origin",
        ...(method === "GET" ? {} : { origin: `https://${consoleHost}` }),
        ...(browser.cookie === "" ? {} : { cookie: browser.cookie }),
        ...(method === "GET" || browser.token === "" ? {} : { "x-console-token": browser.token }),
        ...extra.headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    });
  const browser: Browser = {
    cookie: "",
    token: "",
    async enter(credential, extra) {
      const response = await send("POST", "/session", credential, extra);
      if (response.statusCode !== 201) return response;
      const [pair = ""] = String(response.headers["set-cookie"]).split(";");
      Object.assign(browser, { cookie: pair, token: response.json().data.token });
      return response;
    },
    ask: send,
    async outcome(method, path, body, extra) {
      const response = await send(method, path, body, extra);
      const code = response.body === "" ? undefined : response.json().error?.code;
      return code === undefined ? [response.statusCode] : [response.statusCode, code];
    },
  };
  return browser;
}

/**
 * A link into the console of the test's business, or of another one; left out: for looking, as it
 * is without a role.
 */
export async function linkOf(
  api: TestApi,
  role?: BusinessRole,
  businessId = api.businessId,
): Promise<string> {
  const body = role === undefined ? undefined : { role };
  const made = await api.admin("POST", `/businesses/${businessId}/console-link`, body);
  expect(made.statusCode).toBe(201);
  return made.json().data.link;
}

/** A browser in which somebody came in. */
export async function entered(api: TestApi, credential: Credential): Promise<Browser> {
  const browser = openBrowser(api.web);
  expect((await browser.enter(credential)).statusCode).toBe(201);
  return browser;
}
