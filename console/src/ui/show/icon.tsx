/** Drawn on a grid of 24, as lines. */
const drawings = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  transactions: "M7 4v16M7 4 3.5 7.5M7 4l3.5 3.5M17 20V4M17 20l3.5-3.5M17 20l-3.5-3.5",
  wallets: "M4 7.5A2.5 2.5 0 0 1 6.5 5H18v3M4 7.5V17a2 2 0 0 0 2 2h14V8H6.5M16 13.5h.01",
  sightings: "M3 12s3-6 9-6 9 6 9 6-3 6-9 6-9-6-9-6M12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5",
  deliveries: "M21 4 3 11l7 3 3 7zM21 4 10 14",
  webhooks:
    "M9 8.5a3.5 3.5 0 1 1 5 3.2M12 8.5l-4 7.5M8 16H5.5a3 3 0 1 0 2.8 4M16 17.5H9M13 9.5l3.4 6a3 3 0 1 1-1.4 5",
  keys: "M14.5 9.5 20 4M17 7l2.5 2.5M15 9a5 5 0 1 1-1.5-.5M9 15h.01",
  statements: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5",
  credits: "M5 7h10M5 12h6M5 17h6M14 16l2.5 2.5L21 13",
  attention: "M6 17V11a6 6 0 1 1 12 0v6M4 17h16M10 20h4M12 3v2",
  chains:
    "M9.5 14.5l5-5M8 11l-2.5 2.5a3.5 3.5 0 0 0 5 5L13 16M16 13l2.5-2.5a3.5 3.5 0 0 0-5-5L11 8",
  discrepancies: "M5 9h14M5 15h14M16 5 8 19",
  outbox: "M4 14h4l1.5 3h5L16 14h4M5 14 7 5h10l2 9v5H5z",
  businesses: "M4 20V6l7-3v17M11 9l9 3v8M3 20h18M7 9h.01M7 13h.01M15 15h.01",
  audit: "M5 4h14v16H5zM9 9h6M9 13h6M9 17h3",
  health: "M3 12h4l3-8 4 16 3-8h4",
  sessions: "M4 5h16v11H4zM9 20h6M12 16v4",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M20 20l-4-4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 12.5 10 17 19 7",
  close: "M6 6l12 12M18 6 6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  out: "M14 5h5v5M19 5l-8 8M11 6H5v13h13v-6",
  undo: "M9 8H4V3M4 8c2-3 5-4 8-4a8 8 0 1 1-7 12",
  warning: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  plus: "M12 5v14M5 12h14",
} as const;

export type IconName = keyof typeof drawings;

/** A drawing beside words; it says nothing by itself. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
