import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Code } from "../../ui/show/code.tsx";
import { snippets } from "./snippet-texts.ts";

type Language = keyof typeof snippets;

const languages: readonly Language[] = ["node", "python", "go"];

/** Receivers that verify notifications, in a few languages. */
export function Snippets() {
  const [chosen, setChosen] = useState<Language>("node");
  return (
    <Card
      title={text.webhooks.verify}
      aside={
        <span class="row">
          <span class="seg">
            {languages.map((language) => (
              <button
                key={language}
                type="button"
                aria-pressed={language === chosen}
                onClick={() => setChosen(language)}
              >
                {text.webhooks.languages[language]}
              </button>
            ))}
          </span>
          <CopyButton value={snippets[chosen]} what={text.webhooks.languages[chosen]} />
        </span>
      }
    >
      <Code label={text.webhooks.verify}>{snippets[chosen]}</Code>
    </Card>
  );
}
