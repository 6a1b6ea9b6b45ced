import { resolve } from "node:path";
import { Fault } from "../domain/fault.ts";
import type { Config } from "./config.ts";
import { type ConfigFault, faultsOfIssues } from "./config-fault.ts";
import { parseConfigFile, readConfigFile } from "./config-file.ts";
import { duplicateFaults } from "./duplicates.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { missingFaults } from "./missing.ts";
import { unknownFeedChains } from "./price-config.ts";
import { type FileConfig, fileSchema } from "./schema/file-schema.ts";
import { withSecretFiles } from "./secret-files.ts";
import { toConfig } from "./to-config.ts";

/** This process's environment. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * Makes one frozen Config of the YAML file and the environment (docs/contract.md#4-configuration).
 * Relative paths are relative to `cwd`, where the file is looked for unless it is named.
 * @throws Fault `invalid_configuration` that names every fault with its path; `facts.faults` is the
 *   list
 */
export async function loadConfig(given: Environment, cwd: string): Promise<Config> {
  const { path, isThere, faults, config } = await inspectConfig(given, cwd);
  if (faults.length > 0 || config === null)
    throw configurationFault(faults, isThere ? ` (file ${path})` : "");
  return config;
}

/**
 * Reads the operators' tokens from the file that CHAINBELL_ADMIN_TOKENS_FILE names. Null: it names
 * none.
 * @throws Fault `invalid_configuration` if they cannot be read, or there are none
 */
export async function readAdminTokens(
  given: Environment,
  cwd: string,
): Promise<Config["adminTokens"] | null> {
  if (!given["CHAINBELL_ADMIN_TOKENS_FILE"]) return null;
  const faults: ConfigFault[] = [];
  const env = await withSecretFiles(given, cwd, faults);
  const { adminTokens } = readEnvironment(env, cwd, faults);
  const found = faults.filter(({ path }) => path.startsWith("CHAINBELL_ADMIN_TOKENS"));
  if (found.length === 0 && adminTokens.length === 0)
    found.push({ path: "CHAINBELL_ADMIN_TOKENS_FILE", message: "has no token" });
  if (found.length > 0) throw configurationFault(found, "");
  return adminTokens;
}

/**
 * Finds every fault of file and environment. `config` has the settings even if there are faults of
 * other kinds. It is null if the file cannot be read, or has faults.
 */
export async function inspectConfig(
  given: Environment,
  cwd: string,
): Promise<{ path: string; isThere: boolean; faults: ConfigFault[]; config: Config | null }> {
  const faults: ConfigFault[] = [];
  const env = await withSecretFiles(given, cwd, faults);
  const values = readEnvironment(env, cwd, faults);
  const { raw, config, isThere } = await readFileConfig(env, cwd, faults);
  faults.push(...missingFaults(env, raw, values.isProduction));
  const understood = config === null ? null : deepFreeze(toConfig(values, config));
  return { path: configPath(env, cwd), isThere, faults, config: understood };
}

/** The path of the configuration file, which need not exist. */
export function configPath(env: Environment, cwd: string): string {
  return resolve(cwd, env["CHAINBELL_CONFIG"] || "chainbell.yaml");
}

/** @param place what is read beside the environment, after a space */
function configurationFault(faults: ConfigFault[], place: string): Fault {
  const lines = faults.map(
    ({ path, message }) => `  ${path === "" ? "the file" : path}: ${message}`,
  );
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
  return new Fault(
    "invalid_configuration",
    `The configuration${place} has ${count}:\n${lines.join("\n")}`,
    {
      facts: { faults },
    },
  );
}

/** The file's raw values (null: it cannot be read) and its configuration (null: it has faults). */
type FileReading = { raw: unknown; config: FileConfig | null; isThere: boolean };

/**
 * Reads the file, and adds its faults to the list. If there is no file, and none is named, the
 * configuration is empty.
 */
async function readFileConfig(
  env: Environment,
  cwd: string,
  faults: ConfigFault[],
): Promise<FileReading> {
  const named = env["CHAINBELL_CONFIG"];
  const path = configPath(env, cwd);
  const text = await readConfigFile(path).catch((error: unknown) => {
    const reason = reasonOf(error);
    faults.push({
      path: named ? "CHAINBELL_CONFIG" : path,
      message: `cannot be read: ${reason}`,
      code: "unreadable",
      values: { reason },
    });
  });
  const isThere = text !== null;
  if (text === undefined) return { raw: null, config: null, isThere };
  if (text === null && !named) return { raw: {}, config: {}, isThere };
  if (text === null) {
    faults.push({
      path: "CHAINBELL_CONFIG",
      message: `there is no file ${path}`,
      code: "no_file",
      values: { file: path },
    });
    return { raw: null, config: null, isThere };
  }
  const file = parseConfigFile(text, env);
  faults.push(...file.faults);
  if (file.values === null) return { raw: null, config: null, isThere };
  const parsed = fileSchema.safeParse(file.values);
  // A value that the environment did not fill in is reported already. It must not be reported as
  // missing too.
  const reported = new Set(file.faults.map((fault) => fault.path));
  const found = parsed.success ? [] : faultsOfIssues(parsed.error.issues);
  faults.push(
    ...found.filter((fault) => !reported.has(fault.path)),
    ...duplicateFaults(file.values),
  );
  if (parsed.success) faults.push(...unknownFeedChains(parsed.data));
  return { raw: file.values, config: parsed.success ? parsed.data : null, isThere };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
