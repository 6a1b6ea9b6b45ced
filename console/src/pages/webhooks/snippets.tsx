import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { Segments } from "../../ui/act/segments.tsx";
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
          <Segments
            label={text.webhooks.verify}
            choices={languages}
            chosen={chosen}
            wordsOf={(language) => text.webhooks.languages[language]}
            onChoose={setChosen}
          />
          <CopyButton value={snippets[chosen]} what={text.webhooks.languages[chosen]} />
        </span>
      }
    >
      <Code label={text.webhooks.verify}>{snippets[chosen]}</Code>
    </Card>
  );
}
