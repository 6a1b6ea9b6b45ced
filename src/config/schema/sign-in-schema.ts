import { z } from "zod";
import { durationMs, field } from "./fields.ts";

export const originRule = "expected an origin such as https://app.example.com";

/**
 * True for an origin in the form that browsers use: scheme, host and port, and nothing after them.
 */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Over http, others on the network could read the code, or pretend to be the provider. */
const secureRule = "expected https, or http on this machine";

function isSecure(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}

function secure(rule: string, isIt: (text: string) => boolean, description: string) {
  return field({ type: "string", format: "uri", description }, (text) => {
    if (!URL.canParse(text) || !isIt(text)) return { fault: rule };
    return isSecure(text) ? { value: text } : { fault: secureRule };
  });
}

const words = (description: string) =>
  z
    .array(z.string().min(1, "expected a text"))
    .max(100, "expected at most 100 values")
    .optional()
    .meta({ description });

export const operatorSignIn = z
  .strictObject({
    issuer: secure(
      "expected a URL",
      (text) => /^https?:/.test(text),
      "The provider's issuer, such as https://login.example.com. Chainbell reads all other properties from there.",
    ),
    client_id: z.string().min(1, "is required").meta({
      description: "The id of the client that is registered at the provider for this console.",
    }),
    client_secret: z.string().min(1, "expected a text").optional().meta({
      description:
        "The secret of that client. Take it from the environment. Default: none, for a public client.",
    }),
    console_origin: secure(
      originRule,
      isOrigin,
      "The origin at which browsers reach the console, such as https://chainbell.example. Register this origin with /console/openid/answer at the provider.",
    ),
    scopes: words("The scopes that are asked for beside `openid`. Default: email."),
    claim: z.string().min(1, "expected a text").optional().meta({
      description: "The claim of the ID token that says which role somebody has. Default: groups.",
    }),
    operators: words("The values of the claim whose holders may do everything."),
    viewers: words("The values of the claim whose holders may look, and change nothing."),
    acr_values: words(
      "The accepted ways to sign in: the request's `acr_values`, of which the ID token's `acr` must be one. Default: every way.",
    ),
    max_age: durationMs(
      30 * 86_400_000,
      "The greatest age of a sign-in at the provider, such as 15m. An older one must be repeated. Default: not limited.",
    ).optional(),
  })
  .refine(
    ({ operators, viewers }) => (operators ?? []).length + (viewers ?? []).length > 0,
    "expected a value in operators or in viewers: else nobody can sign in",
  )
  .meta({
    description:
      "Operators sign in to the console at an identity provider (OpenID Connect). Without it they show admin tokens.",
  });
