import type { paths } from "../../wire/generated/api-paths.ts";

/** The state of the parts, and the installation that runs. */
export type Installed =
  paths["/admin/health"]["get"]["responses"][200]["content"]["application/json"]["data"];
