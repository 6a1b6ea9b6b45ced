import { z } from "zod";
import { dataAnswer } from "../../../schema/answers.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { resetChainOutcome, rewoundChain, shownStatus } from "./admin-answers.ts";
import { noBody, noQuery } from "./admin-lists.ts";

export type AdminChainsDeps = {
  showStatus: () => Promise<z.output<typeof shownStatus>>;
  rewindChain: (input: { name: string; toBlock: number }) => Promise<z.output<typeof rewoundChain>>;
  resetChain: (name: string) => Promise<z.output<typeof resetChainOutcome>>;
};

const tags = ["Administration: chains"];

export function adminChainsRoutes(web: Web, commandsOf: Acting<AdminChainsDeps>): void {
  const status = {
    tags,
    summary: "How far each chain is, and what is still to be told",
    querystring: noQuery,
    response: answers({ 200: dataAnswer(shownStatus) }),
  };
  web.get("/status", { schema: status }, async (request) => ({
    success: true as const,
    data: await commandsOf(request).showStatus(),
  }));

  const rewind = {
    tags,
    summary: "Read the blocks above a block once more",
    description: "What is found again notifies nobody; what is not becomes dropped or reversed.",
    params: z.strictObject({ name: z.string() }),
    body: z.strictObject({
      to_block: z.int("expected a block number").min(0, "expected a block number"),
    }),
    querystring: noQuery,
    response: answers({ 200: dataAnswer(rewoundChain) }),
  };
  web.post("/chains/:name/rewind", { schema: rewind }, async (request) => {
    const { name } = request.params;
    const data = await commandsOf(request).rewindChain({ name, toBlock: request.body.to_block });
    return { success: true as const, data };
  });

  const reset = {
    tags,
    summary: "Forget a chain and begin it anew",
    description: "What was on it becomes dropped or reversed, which notifies.",
    params: z.strictObject({ name: z.string() }),
    body: noBody,
    querystring: noQuery,
    response: answers({ 200: dataAnswer(resetChainOutcome) }),
  };
  web.post("/chains/:name/reset", { schema: reset }, async (request) => ({
    success: true as const,
    data: await commandsOf(request).resetChain(request.params.name),
  }));
}
