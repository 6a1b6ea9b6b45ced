import createClient from "openapi-fetch";
import type { paths } from "../../../console/src/wire/generated/api-paths.ts";

/**
 * Calls the HTTP interface through the types of its own description: a field that is not there does
 * not compile.
 */
export function typedClient(url: string, headers: Record<string, string>) {
  return createClient<paths, "application/json">({ baseUrl: url, headers });
}
