import { z } from "zod";
import type { Web } from "../web.ts";
import { noQuery } from "./admin-lists.ts";

export type AdminChainsDeps = {
  showStatus: () => Promise<object>;
  resetChain: (name: string) => Promise<object>;
};

export function adminChainsRoutes(web: Web, deps: AdminChainsDeps): void {
  web.get("/status", { schema: { querystring: noQuery } }, async () => ({
    success: true,
    data: await deps.showStatus(),
  }));

  const schema = { params: z.strictObject({ name: z.string() }), querystring: noQuery };
  web.post("/chains/:name/reset", { schema }, async (request) => ({
    success: true,
    data: await deps.resetChain(request.params.name),
  }));
}
