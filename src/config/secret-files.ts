import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ConfigFault } from "./config-fault.ts";
import type { Environment } from "./environment.ts";

/**
 * The variables that may be given as a file, as containers and systemd do. Every child process
 * would inherit a variable.
 */
const secrets = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_READ_URL",
  "REDIS_URL",
  "REDIS_CA",
  "REDIS_CERT",
  "REDIS_KEY",
  "CHAINBELL_ENCRYPTION_KEY",
  "CHAINBELL_ADMIN_TOKENS",
  "OTEL_EXPORTER_OTLP_HEADERS",
  // These four are only for the file to use, in its `alerts`.
  "CHAINBELL_ALERTS_WEBHOOK_URL",
  "CHAINBELL_ALERTS_WEBHOOK_SECRET",
  "CHAINBELL_ALERTS_SLACK_URL",
  "CHAINBELL_ALERTS_SMTP_URL",
] as const;

/**
 * The environment, with the content of each `<NAME>_FILE` as `<NAME>`, without the line break at
 * its end. A fault if a file cannot be read, or if both variables are set.
 */
export async function withSecretFiles(
  env: Environment,
  cwd: string,
  faults: ConfigFault[],
): Promise<Environment> {
  const read: Record<string, string> = {};
  for (const name of secrets) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    if (env[name]) {
      faults.push({ path: `${name}_FILE`, message: `is set beside ${name}: set one of them` });
      continue;
    }
    try {
      read[name] = (await readFile(resolve(cwd, path), "utf8")).replace(/\r?\n$/, "");
    } catch (error) {
      const why = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      faults.push({
        path: `${name}_FILE`,
        message: `cannot be read: ${why}`,
        code: "unreadable",
        values: { reason: why },
      });
    }
  }
  return { ...env, ...read };
}
