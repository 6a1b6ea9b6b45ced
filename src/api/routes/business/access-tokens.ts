import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { requireId } from "../../../domain/not-found.ts";
import { answer, dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import { presentToken, shownToken, tokenId } from "../../../schema/api-key.ts";
import { noQuery, pageFields, pageOf } from "../../../schema/fields.ts";
import { answersWithData } from "../../answers/answers.ts";
import type { AccessTokens } from "../../auth/access-token.ts";
import { businessOf, keyOf, tokenOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type TokenLedger = Pick<
  BusinessLedger,
  "endToken" | "recordToken" | "listTokens" | "endListedToken"
>;

type AccessTokensDeps = TokenLedger & {
  accessTokens: AccessTokens;
  /** In ms since the epoch. */
  clock: { now: () => number };
};

const tags = ["Access tokens"];

const minted = answer({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int().meta({ description: "The lifetime of the token, in seconds." }),
});

const ended = z.object({ id: tokenId });

/** Adds the routes for access tokens. They show only tokens of the API key of the request. */
export function accessTokensRoutes(web: Web, deps: AccessTokensDeps): void {
  const now = () => new Date(deps.clock.now());
  const mint = {
    tags,
    summary: "Mint an access token",
    description: "With an API key; a token cannot mint a token. The token dies with its key.",
    querystring: noQuery,
    body: z.strictObject({}).nullish().meta({ description: "Nothing, or an empty object." }),
    response: { 200: minted },
  };
  web.post("/auth/token", { schema: mint }, async (request) => {
    const keyId = keyOf(request);
    const holder = { keyId, businessId: businessOf(request) };
    const { token, expiresInS, ...issued } = await deps.accessTokens.mint(holder);
    await deps.recordToken({ ...issued, keyId, address: request.ip });
    return {
      success: true as const,
      access_token: token,
      token_type: "Bearer" as const,
      expires_in: expiresInS,
    };
  });

  const list = {
    tags,
    summary: "List the key's access tokens",
    description:
      "With an API key: those of this key that are valid. The tokens themselves are not kept.",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownToken) },
  };
  web.get("/auth/tokens", { schema: list }, async (request) => {
    const asked = { keyId: keyOf(request), at: now() };
    return listBody(await deps.listTokens(asked, pageOf(request.query)), presentToken);
  });

  const end = {
    tags,
    summary: "End one of the key's access tokens",
    description: "With an API key. Within two seconds no process takes the token any more.",
    params: z.strictObject({ id: z.string() }),
    ...answersWithData(ended),
  };
  web.delete("/auth/tokens/:id", { schema: end }, async (request) => {
    const id = requireId(request.params.id, "token_not_found");
    await deps.endListedToken({ id, keyId: keyOf(request), at: now() });
    return dataBody({ id });
  });
}

export function endAccessTokenRoute(web: Web, deps: Pick<TokenLedger, "endToken">): void {
  const schema = {
    tags,
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
