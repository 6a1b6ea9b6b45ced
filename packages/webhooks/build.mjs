// Compiles the package twice, as ES modules and as CommonJS. Usage: node build.mjs
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
const tsc = join(dirname(typescript), "bin", "tsc");

rmSync(join(here, "dist"), { recursive: true, force: true });
compile(["-p", "tsconfig.json"]);
compile(["-p", "tsconfig.cjs.json"]);
writeFileSync(join(here, "dist", "cjs", "package.json"), '{ "type": "commonjs" }\n');

function compile(args) {
  const { status } = spawnSync(process.execPath, [tsc, ...args], { cwd: here, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
