import { z } from "zod";
import { answer } from "../../../schema/answers.ts";
import { noQuery } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { AccessTokens } from "../../auth/access-token.ts";
import { businessOf, keyOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type AccessTokensDeps = { accessTokens: AccessTokens };

const minted = answer({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int().meta({ description: "Seconds." }),
});

export function accessTokensRoutes(web: Web, deps: AccessTokensDeps): void {
  const schema = {
    tags: ["Access tokens"],
    summary: "Mint an access token",
    description: "With an API key; a token cannot mint a token. The token dies with its key.",
    querystring: noQuery,
    body: z.strictObject({}).nullish().meta({ description: "Nothing, or an empty object." }),
    response: answers({ 200: minted }),
  };
  web.post("/auth/token", { schema }, async (request) => {
    const holder = { keyId: keyOf(request), businessId: businessOf(request) };
    const { token, expiresInS } = await deps.accessTokens.mint(holder);
    return {
      success: true as const,
      access_token: token,
      token_type: "Bearer" as const,
      expires_in: expiresInS,
    };
  });
}
