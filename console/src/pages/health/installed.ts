import type { paths } from "../../wire/generated/api-paths.ts";

/** Whether the parts work, and what runs. */
export type Installed =
  paths["/admin/health"]["get"]["responses"][200]["content"]["application/json"]["data"];
