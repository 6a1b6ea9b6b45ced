type Shown = {
  label: string;
  value: string;
  /** The words of each value; the first line stands for any of them. */
  any: string;
  options: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
};

/** A filter with one of several words, or none. */
export function Choice({ label, value, any, options, onChange }: Shown) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{any}</option>
        {Object.entries(options).map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
