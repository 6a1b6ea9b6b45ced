import { Icon, type IconName } from "../show/icon.tsx";

type Shown = { icon: IconName; label: string; onClick: () => void; isTiny?: boolean };

/**
 * A button that is only a drawing. `label` is its name, for screen readers and under the pointer.
 */
export function IconButton({ icon, label, onClick, isTiny = false }: Shown) {
  return (
    <button
      class={`button ${isTiny ? "button-tiny above-link" : "button-quiet button-icon"}`}
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} size={isTiny ? 14 : 16} />
    </button>
  );
}
