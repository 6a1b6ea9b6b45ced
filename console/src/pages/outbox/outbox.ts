import type { paths } from "../../wire/generated/api-paths.ts";

/** What waits, whose it is, and how the receivers of the last day answered. */
export type Outbox =
  paths["/admin/outbox"]["get"]["responses"][200]["content"]["application/json"]["data"];
