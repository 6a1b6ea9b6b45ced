import type { Config } from "../config/config.ts";
import type { LogDestination } from "../runtime/logger.ts";

/**
 * JSON for programs that collect the log, and readable lines for a developer at a terminal. The
 * library for the latter is missing in a production installation.
 */
export async function logDestination(
  { mode }: Pick<Config, "mode">,
  name: "stdout" | "stderr",
): Promise<LogDestination> {
  const stream = name === "stdout" ? process.stdout : process.stderr;
  if (mode === "production" || !stream.isTTY) return name;
  const { prettyDestination } = await import("../development/pretty-log.ts");
  return prettyDestination(stream);
}
