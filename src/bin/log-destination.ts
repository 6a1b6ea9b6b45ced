import type { Config } from "../config/config.ts";
import type { LogDestination } from "../runtime/logger.ts";

/**
 * JSON is for whatever collects the log; for a developer at a terminal, lines that can be read. A
 * production installation lacks the library that makes them.
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
