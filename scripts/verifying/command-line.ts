import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

type VerifyingArgs = { file: string; key: string | null; against: string | null };

/**
 * The file to verify, and the public key that has to have signed it; null: none is given. `against`
 * is a file that some verbs hold it against.
 * @throws an error of a command line, as parseArgs
 */
export function verifyingArgs(
  verb: string,
  also: readonly "against"[] = [],
  args: readonly string[] = process.argv.slice(2),
): VerifyingArgs {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { key: { type: "string" }, against: { type: "string" } },
    allowPositionals: true,
  });
  const [file] = positionals;
  const mayHave = also.map((name) => ` [--${name} FILE]`).join("");
  const isUsed = file !== undefined && (values.against === undefined || also.includes("against"));
  if (!isUsed) throw wrongUsage(`usage: node scripts/run.mjs ${verb} FILE${mayHave} [--key KEY]`);
  for (const path of [file, values.against])
    if (path !== undefined && !existsSync(path)) throw wrongUsage(`There is no file ${path}.`);
  return { file, key: keyIn(values.key), against: values.against ?? null };
}

/** The key itself, or a file that has it. */
function keyIn(given: string | undefined): string | null {
  if (given === undefined) return null;
  const key = (existsSync(given) ? readFileSync(given, "utf8") : given).trim();
  if (Buffer.from(key, "base64").length === 32) return key;
  throw wrongUsage(
    `--key '${given}' is neither the base64 of 32 bytes nor a file with it: \`key signing\` shows it.`,
  );
}

function wrongUsage(message: string): Error {
  return Object.assign(new Error(message), { code: "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" });
}

/** Prints what is wrong, what is missing and a summary, and sets the exit status by them. */
export function sayVerdict(
  { wrong, missing }: { wrong: readonly string[]; missing: readonly string[] },
  summary: string,
): void {
  for (const line of wrong) process.stdout.write(`wrong: ${line}\n`);
  for (const line of missing) process.stdout.write(`missing: ${line}\n`);
  process.stdout.write(
    `${summary}, ${wrong.length} things are wrong, ${missing.length} are missing\n`,
  );
  process.exitCode = wrong.length > 0 ? 1 : missing.length > 0 ? 2 : 0;
}
