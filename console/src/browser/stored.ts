/** The part of a browser that keeps choices. Pure modules are tested without a browser. */
type Browser = {
  localStorage?: {
    getItem: (key: string) => string | null;
    setItem: (key: string, value: string) => void;
  };
};

const browser: Browser = globalThis;

/** A choice that this browser keeps; null: none is kept. */
export function stored(key: string): string | null {
  try {
    return browser.localStorage?.getItem(key) ?? null;
  } catch {
    // A browser that refuses to store anything throws.
    return null;
  }
}

/** Keeps a choice in this browser. Where it refuses, the choice holds for this page alone. */
export function store(key: string, value: string): void {
  try {
    browser.localStorage?.setItem(key, value);
  } catch {
    // The page goes on without it.
  }
}
