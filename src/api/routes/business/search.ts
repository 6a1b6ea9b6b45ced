import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { dataAnswer, dataBody } from "../../../schema/answers.ts";
import { presentFound, searchField, shownFound } from "../../../schema/search.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type SearchDeps = Pick<BusinessLedger, "search">;

export function searchRoutes(web: Web, deps: SearchDeps): void {
  const schema = {
    tags: ["Search"],
    operationId: "search",
    summary: "What a hash, an address, an id or a part of a text names",
    description: "At most ten of each kind, the newest first.",
    querystring: z.strictObject({ q: searchField }),
    response: { 200: dataAnswer(z.array(shownFound)) },
  };
  web.get("/search", { schema }, async (request) => {
    const businessId = businessOf(request);
    const found = await deps.search({ businessId, text: request.query.q });
    return dataBody(found.map(presentFound));
  });
}
