import { Foreign } from "../../ui/show/foreign.tsx";

/** The customer of a wallet, as its business has named it. */
export type Named = { reference?: string | null; label?: string | null };

/** The reference and the label of a wallet, on a line of their own. Nothing without either. */
export function Customer({ of: { reference, label } }: { of: Named }) {
  const names = [reference, label].filter((name) => name !== undefined && name !== null);
  if (names.length === 0) return null;
  return (
    <span class="second">
      <Foreign text={names.join(" · ")} />
    </span>
  );
}
