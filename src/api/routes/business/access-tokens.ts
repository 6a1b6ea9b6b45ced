import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { answer, dataBody, idText } from "../../../schema/answers.ts";
import { noQuery } from "../../../schema/fields.ts";
import { answersWithData } from "../../answers/answers.ts";
import type { AccessTokens } from "../../auth/access-token.ts";
import { businessOf, keyOf, tokenOf } from "../../auth/authenticate.ts";
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
    response: { 200: minted },
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

export type EndTokenDeps = Pick<BusinessLedger, "endToken">;

const ended = z.object({ id: idText.meta({ description: "The token's jti." }) });

export function endAccessTokenRoute(web: Web, deps: EndTokenDeps): void {
  const schema = {
    tags: ["Access tokens"],
    summary: "End the access token that is shown",
    description: "Within two seconds no process takes it any more. Other tokens of its key stay.",
    ...answersWithData(ended),
  };
  web.delete("/auth/token", { schema }, async (request) => {
    const token = tokenOf(request);
    await deps.endToken(token);
    return dataBody({ id: token.id });
  });
}
