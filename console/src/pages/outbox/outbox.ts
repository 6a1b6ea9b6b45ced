import type { paths } from "../../wire/generated/api-paths.ts";

/** The deliveries that wait, business by business, and the answers of the last day's receivers. */
export type Outbox =
  paths["/admin/outbox"]["get"]["responses"][200]["content"]["application/json"]["data"];
