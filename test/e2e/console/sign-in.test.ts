import { describe, expect, it } from "vitest";
import { hasBrowser, openPage, startBrowser } from "../../support/console/browser.ts";
import {
  type Account,
  clientId,
  clientSecret,
  startIdentityProvider,
} from "../../support/console/identity-provider.ts";
import { eachTest } from "../../support/each-test.ts";
import { createCheckedDatabase } from "../../support/ledger/checked-database.ts";
import { startDaemon } from "../../support/process/daemon.ts";
import { deploymentOf } from "../../support/process/deployment.ts";
import { freePort } from "../../support/process/free-port.ts";
import { createResources } from "../../support/resources.ts";

const ada: Account = {
  sub: "ada",
  email: "ada@example.com",
  email_verified: true,
  groups: ["payments-oncall"],
};

/**
 * A daemon whose operators sign in at an identity provider, which is of another site, and a
 * browser.
 */
async function startSignIn() {
  const { open, end } = createResources();
  try {
    const port = await freePort();
    const consoleOrigin = `http://127.0.0.1:${port}`;
    const provider = await open(
      startIdentityProvider(`${consoleOrigin}/console/openid/answer`, { asks: true }),
      (one) => one.stop(),
    );
    const database = await open(createCheckedDatabase(), (one) => one.drop());
    const deployment = deploymentOf({
      databaseUrl: database.url,
      redisUrl: null,
      roles: "api",
      receiverPorts: [],
      chains: [{ name: "anvil", rpcUrl: "http://127.0.0.1:1", confirmations: 1 }],
      file: {
        operator_sign_in: {
          issuer: provider.issuer,
          client_id: clientId,
          client_secret: clientSecret,

          console_origin: consoleOrigin,
          scopes: ["email", "groups"],
          operators: ["payments-oncall"],
        },
      },
    });
    const daemon = await open(startDaemon(deployment, { PORT: String(port) }), (one) => one.stop());
    const browser = await open(startBrowser(), (one) => one.close());
    return { provider, daemon, browser, end };
  } catch (error) {
    await end();
    throw error;
  }
}

describe.skipIf(!hasBrowser)("signing in at an identity provider, in a browser", () => {
  const signIn = eachTest(startSignIn, (one) => one.end());

  it("lets an operator in who comes back from a page of another site, and says why somebody stays out", async () => {
    const { provider, daemon } = signIn;
    const { page, complaints } = await openPage(signIn.browser);
    const go = async () => {
      await page.goto(`${daemon.url}/console/audit`);
      await page.getByRole("link", { name: "Sign in with your organisation" }).click();
      await page.waitForURL(`${provider.issuer}/**`);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.waitForURL(`${daemon.url}/console/**`);
    };
    provider.signInAs({ ...ada, sub: "bob", groups: ["staff"] });
    await go();
    await page.getByRole("alert").getByText("have no role here").waitFor();
    // The provider remembers who was there.
    await page.context().clearCookies();
    provider.signInAs(ada);
    await go();
    await page.getByRole("link", { name: "Skip to the content" }).waitFor();
    const kept = { httpOnly: true, secure: true };
    expect(await page.context().cookies(daemon.url)).toMatchObject([
      { name: "__Host-chainbell-console", ...kept, sameSite: "Strict" },
      { name: "__Host-chainbell-console-digest", ...kept, sameSite: "Lax" },
    ]);
    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await page.getByText("oidc:ada@example.com").first().waitFor();
    // Loaded anew, the cookie is sent and opens it.
    await page.reload();
    await page.getByText("oidc:ada@example.com").first().waitFor();
    expect(complaints).toEqual([]);
  });
});
