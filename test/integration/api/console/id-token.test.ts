import { createSecretKey } from "node:crypto";
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import { openBrowser } from "../../../support/api/browser.ts";
import {
  clientId,
  clientSecret,
  type Forge,
  signWith,
} from "../../../support/console/identity-provider.ts";
import { comeBack, openSignIn, refused } from "../../../support/console/sign-in.ts";
import { allTests } from "../../../support/each-test.ts";

// One world for all: what is refused here is fewer than what one address may get wrong.
const signIn = allTests(
  () => openSignIn({ acrValues: ["phr", "phrh"], maxAgeS: 3_600 }),
  (one) => one.end(),
);

const inside = "/console/";
const invalid = refused("invalid_sign_in");
const insufficient = refused("insufficient_user_authentication");
const saying =
  (claims: JWTPayload): Forge =>
  (own, sign) =>
    sign({ ...own, ...claims });
const nowS = Math.floor(Date.now() / 1_000);

test.each<[what: string, forge: Forge, outcome: string]>([
  ["that is right", saying({}), inside],
  [
    "signed with another key",
    async (own) => signWith((await generateKeyPair("ES256")).privateKey, own),
    invalid,
  ],
  ["without a signature", async (own) => new UnsecuredJWT(own).encode(), invalid],
  [
    "signed with the client's secret",
    (own) =>
      new SignJWT(own)
        .setProtectedHeader({ alg: "HS256" })
        .sign(createSecretKey(Buffer.from(clientSecret))),
    invalid,
  ],
  [
    "changed after it was signed",
    async (own, sign) => {
      const [header, , signature] = (await sign(own)).split(".");
      const claims = Buffer.from(JSON.stringify({ ...own, sub: "eve" }));
      return [header, claims.toString("base64url"), signature].join(".");
    },
    invalid,
  ],
  ["of another client", saying({ aud: "other" }), invalid],
  ["of several clients, for another", saying({ aud: [clientId, "other"], azp: "other" }), invalid],
  ["of another issuer", saying({ iss: "https://evil.example" }), invalid],
  ["that has expired", saying({ exp: nowS - 3_600 }), invalid],
  ["that was issued an hour ahead", saying({ iat: nowS + 3_600 }), invalid],
  ["of another sign-in", saying({ nonce: "other" }), invalid],
  ["of no sign-in", saying({ nonce: undefined }), invalid],
  ["of somebody who came in by the other way that is enough", saying({ acr: "phrh" }), inside],
  ["of somebody who came in by less", saying({ acr: "urn:password" }), insufficient],
  ["that does not say how somebody came in", saying({ acr: undefined }), insufficient],
  ["of somebody who came in too long ago", saying({ auth_time: nowS - 7_200 }), insufficient],
  ["that does not say when somebody came in", saying({ auth_time: undefined }), invalid],
])("an ID token %s", async (_what, forge, outcome) => {
  signIn.provider.forge((own, sign) => forge({ ...own, acr: "phr" }, sign));
  const before = await signIn.api.db.consoleSession.count();
  const browser = openBrowser(signIn.api.web);
  expect(await comeBack(browser, await signIn.goThere(browser))).toBe(outcome);
  expect(browser.cookie !== "").toBe(outcome === inside);
  const begun = (await signIn.api.db.consoleSession.count()) - before;
  expect(begun).toBe(outcome === inside ? 1 : 0);
});

test("a sign-in is asked for as it has to be, and a provider that cannot have it so says it itself", async () => {
  const browser = openBrowser(signIn.api.web);
  const begun = await browser.ask("GET", "/openid");
  const { searchParams } = new URL(String(begun.headers["location"]));
  expect(Object.fromEntries(searchParams)).toMatchObject({
    acr_values: "phr phrh",
    max_age: "3600",
  });
  const path = (await signIn.goThere(browser)).replace(
    /code=[^&]*/,
    "error=unmet_authentication_requirements",
  );
  expect(await comeBack(browser, path)).toBe(insufficient);
});
