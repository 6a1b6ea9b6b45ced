import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inCheckout } from "../checkout.ts";

/**
 * What one linter says of the document; nothing: an empty list. It fails where the linter itself
 * does.
 */
type Lint = (path: string) => Promise<string[]>;

/** By the rules of redocly.yaml. */
export const redocly: Lint = async (path) => {
  const report = await output("@redocly/cli/bin/cli.js", [
    ...["lint", path, "--format=json", "--max-problems=1000"],
    `--config=${inCheckout("redocly.yaml")}`,
  ]);
  const { problems } = JSON.parse(report);
  return problems.map((problem: { ruleId: string; message: string; location: object }) => {
    const { ruleId, message, location } = problem;
    return `${ruleId}: ${message} ${JSON.stringify(location)}`;
  });
};

/** By the rules of .spectral.yaml. */
export const spectral: Lint = async (path) => {
  const file = join(path, "..", "spectral.json");
  await output("@stoplight/spectral-cli/dist/index.js", [
    ...["lint", path, "--format=json", `--output=${file}`, "--quiet"],
    `--ruleset=${inCheckout(".spectral.yaml")}`,
  ]);
  const problems: { code: string; message: string; path: string[] }[] = JSON.parse(
    await readFile(file, "utf8"),
  );
  return problems.map(({ code, message, path: at }) => `${code}: ${message} ${at.join(".")}`);
};

/** Writes the document where a linter can read it. */
export async function lint(document: object, by: Lint): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-openapi-"));
  try {
    const path = join(folder, "openapi.json");
    await writeFile(path, JSON.stringify(document));
    return await by(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a program of a package prints; its status says only whether it found something. */
function output(program: string, args: string[]): Promise<string> {
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  return new Promise((resolve) => {
    const path = inCheckout("test", "node_modules", program);
    execFile(process.execPath, [path, ...args], { env, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
