import type { paths } from "../../wire/generated/api-paths.ts";

/** How the operator sees all chains and the outbox. */
export type Status =
  paths["/admin/status"]["get"]["responses"][200]["content"]["application/json"]["data"];

export type ChainStatus = Status["chains"][number];
