import { type ComponentChildren, Fragment } from "preact";

type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values. A null is left out. */
export function Facts({ of }: { of: readonly (Fact | null)[] }) {
  const facts = of.filter((fact) => fact !== null);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
