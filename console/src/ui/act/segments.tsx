type Shown<Choice extends string> = {
  label: string;
  choices: readonly Choice[];
  chosen: Choice;
  wordsOf: (choice: Choice) => string;
  /** The language of a choice's words; left out: the page's. */
  languageOf?: (choice: Choice) => string;
  onChoose: (choice: Choice) => void;
};

/** A few choices side by side, one of which is chosen. */
export function Segments<Choice extends string>(props: Shown<Choice>) {
  const { label, choices, chosen, wordsOf, languageOf, onChoose } = props;
  return (
    <fieldset class="field">
      <legend class="unseen">{label}</legend>
      <span class="seg">
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            lang={languageOf?.(choice)}
            aria-pressed={choice === chosen}
            onClick={() => onChoose(choice)}
          >
            {wordsOf(choice)}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
