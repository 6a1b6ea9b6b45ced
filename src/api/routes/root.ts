import { z } from "zod";
import { dataAnswer, dataBody } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";
import type { Web } from "../http/web.ts";

const service = z.object({
  name: z.literal("Chainbell"),
  version: z.string().meta({ examples: ["0.2.0"] }),
  links: z
    .object({
      documentation: z.string().meta({ examples: ["docs"] }),
      description: z.string().meta({ examples: ["openapi.json"] }),
      health: z.string().meta({ examples: ["health"] }),
    })
    .meta({
      description:
        "Links to the other pages, relative to this address. They also work below a path of a proxy.",
    }),
});

/** Says which service answers at `/`. Needs no credential. */
export function rootRoute(web: Web, { version }: { version: string }): void {
  const schema = {
    tags: ["Operation"],
    operationId: "getService",
    summary: "What answers here, and where it is described",
    querystring: noQuery,
    response: { 200: dataAnswer(service) },
  };
  const links = { documentation: "docs", description: "openapi.json", health: "health" };
  web.get("/", { schema }, async () => dataBody({ name: "Chainbell" as const, version, links }));
}
