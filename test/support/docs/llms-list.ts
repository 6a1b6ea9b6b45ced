import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { inCheckout } from "../checkout.ts";

const head = `# Chainbell

> Chainbell watches EVM chains for money that moves to or from wallets. It keeps an exact ledger in PostgreSQL and sends
> signed notifications to webhooks. You host it yourself.
`;

/** llms.txt: every page but the decisions, with its title and first sentence. */
export function llmsList(): string {
  const patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md"];
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const output = execFileSync("git", args, { cwd: inCheckout(), encoding: "utf8" });
  const pages = [...new Set(output.split("\n"))]
    .filter((path) => path !== "" && existsSync(inCheckout(path)))
    .filter((path) => !path.startsWith("docs/decisions/0"))
    .sort();
  return `${head}\n## Pages\n\n${pages.map(lineOf).join("\n")}\n`;
}

function lineOf(path: string): string {
  const text = readFileSync(inCheckout(path), "utf8");
  const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
  return `- [${title}](${path}): ${firstSentence(text)}`;
}

/** The first sentence of the first paragraph, as one line without links. */
function firstSentence(text: string): string {
  const paragraph =
    text
      .split(/\n{2,}/)
      .find(
        (block) => !/^(#|<|\*\*Contents|\||```|!\[|>|- )/.test(block.trim()) && block.trim() !== "",
      ) ?? "";
  const line = paragraph
    .trim()
    .replace(/\s+/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const [sentence = line] = /^.*?[.:](?= |$)/.exec(line) ?? [];
  return sentence.replace(/:$/, ".");
}
