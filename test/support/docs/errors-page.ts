import {
  codesOfStoppedChains,
  guidedCodes,
  lineOf,
} from "../../../src/api/description/error-guides.ts";
import { wrapped } from "./markdown.ts";

const head = `# Errors

Every code that Chainbell shows, with its meaning, the remedy, who acts, and whether to repeat. A code never changes its
meaning. This page is made from a table of the code. Do not edit it here: run \`npm test -- docs/errors-page -u\`. The
daemon serves the same at \`GET /docs/errors\`, and \`error.doc_url\` of an answer leads there.
`;

/** docs/errors.md. */
export function errorsPage(): string {
  const groups = guidedCodes();
  const links = groups.map(({ title, codes }) => {
    const items = codes.map(({ title: name, anchor }) => `- [${name}](#${anchor})`);
    return `**${title}**\n\n${items.join("\n")}\n`;
  });
  const sections = groups.map(({ title, about, codes }) =>
    [
      `## ${title}\n\n${wrapped(about)}\n`,
      ...codes.map(
        (code) =>
          `### ${code.title}\n\n${wrapped(code.guide[2])}\n${wrapped(code.guide[3])}\n\n${lineOf(code)}.\n`,
      ),
    ].join("\n"),
  );
  const stopped = codesOfStoppedChains.map((code) => `[${code}](#${code})`).join(" ·\n");
  return `${[head, ...links, ...sections].join("\n")}
## Stopped chains

\`stopped.code\` of a chain in \`GET /admin/status\` is one of these, or a code that the log explains. \`stopped.remedy\` says
what to do:
${stopped}
`;
}
