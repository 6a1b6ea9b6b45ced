import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Document } from "../../../src/api/description/document.ts";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { endpointPages } from "../../support/docs/endpoint-pages.ts";
import { temporaryDataDirectory } from "../../support/process/data-directory.ts";
import { hasProgram } from "../../support/process/debian-package.ts";
import { hasGo, hasPython } from "../../support/process/languages.ts";

let api: TestApi;
let address: string;
let samples: { language: string; route: string; text: string }[];

beforeAll(async () => {
  api = await openTestApi();
  address = await api.web.listen({ port: 0 });
  const document: Required<Document> = (await api.get("/openapi.json", null)).json();
  samples = endpointPages(document).flatMap(({ text }) => samplesIn(text));
});

afterAll(() => api.stop());

/** How each language joins samples so that none sees another, and the program that reads them. */
const languages = {
  js: {
    program: process.execPath,
    isInstalled: true,
    extension: "mjs",
    check: ["--check"],
    run: [],
    head: "",
    open: "{",
    close: "}",
  },
  sh: {
    program: "bash",
    isInstalled: hasProgram("curl", ["--version"]),
    extension: "sh",
    check: ["-n"],
    run: [],
    head: "",
    open: "",
    close: "echo",
  },
  python: {
    program: "python3",
    isInstalled: hasPython,
    extension: "py",
    check: ["-m", "py_compile"],
    run: [],
    head: "",
    open: "",
    close: "",
  },
  go: {
    program: "go",
    isInstalled: hasGo,
    extension: "go",
    check: ["vet"],
    run: ["run"],
    head: `package main
import ("io"; "log"; "net/http"; "os"; "strings")
var _ = strings.NewReader
func main() {}`,
    open: "func init() {",
    close: "}",
  },
} as const;

describe.each(["js", "sh", "python", "go"] as const)(
  "the samples of docs/reference in %s",
  (language) => {
    test.skipIf(!languages[language].isInstalled)("are programs, one for each route", async () => {
      const own = samples.filter((one) => one.language === language);
      expect(own.length).toBe(new Set(own.map(({ route }) => route)).size);
      expect(own.length).toBeGreaterThan(60);
      const ended = await run(language, own, languages[language].check);
      expect(ended).toMatchObject({ status: 0, printed: "" });
    });

    test.skipIf(!languages[language].isInstalled)(
      "that list something of a business get an answer",
      async () => {
        // This business has no webhook to show. A statement is lines of another form.
        const own = samples.filter(
          ({ language: of, route, text }) =>
            of === language &&
            /^GET \/(?!webhooks|statements)[a-z-]+$/.test(route) &&
            text.includes("x-api-key"),
        );
        expect(own.length).toBeGreaterThan(5);
        const { status, printed } = await run(language, own, languages[language].run, {
          API_URL: address,
          API_KEY: api.key,
        });
        expect(status, printed).toBe(0);
        expect(printed.match(/"success":true/g)?.length).toBe(own.length);
      },
    );
  },
);

/** Each sample of a page, with the route whose section it stands in. */
function samplesIn(page: string) {
  return page.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```(js|sh|python|go)\n([\s\S]*?)^```$/gm)].map(
      ([, language = "", text = ""]) => ({
        language,
        route: section.split("\n", 1)[0] ?? "",
        text,
      }),
    ),
  );
}

function run(
  language: keyof typeof languages,
  texts: readonly { text: string }[],
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; printed: string }> {
  const { program, extension, head, open, close } = languages[language];
  const file = join(temporaryDataDirectory(), `samples.${extension}`);
  const parts = texts.map(({ text }) => [open, text, close].join("\n"));
  writeFileSync(file, [head, ...parts].join("\n"));
  const child = spawn(program, [...args, file], { env: { ...process.env, ...environment } });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    printed += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, printed }));
  });
}
