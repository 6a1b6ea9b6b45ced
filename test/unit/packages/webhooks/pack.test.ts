import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const folder = fileURLToPath(new URL("../../../../packages/webhooks/", import.meta.url));
const run = (cwd: string, command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

test("the packed package works in an empty project, as ES module and CommonJS, and brings nothing else", () => {
  const project = mkdtempSync(join(tmpdir(), "chainbell-pack-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const [packed] = JSON.parse(run(folder, "npm", "pack", "--json", "--pack-destination", project));
  writeFileSync(join(project, "package.json"), '{ "private": true }');
  run(
    project,
    "npm",
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    join(project, packed.filename),
  );
  const listed = JSON.parse(run(project, "npm", "ls", "--all", "--json"));
  expect(Object.keys(listed.dependencies)).toEqual(["@chainbell/webhooks"]);
  expect(listed.dependencies["@chainbell/webhooks"].dependencies).toBeUndefined();

  const use = "try { verify('{}', {}, 'whsec_'); } catch (error) { console.log(error.code); }";
  writeFileSync(join(project, "a.mjs"), `import { verify } from "@chainbell/webhooks"; ${use}`);
  writeFileSync(
    join(project, "b.cjs"),
    `const { verify } = require("@chainbell/webhooks"); ${use}`,
  );
  expect(run(project, process.execPath, "a.mjs").trim()).toBe("weak_secret");
  expect(run(project, process.execPath, "b.cjs").trim()).toBe("weak_secret");
});
