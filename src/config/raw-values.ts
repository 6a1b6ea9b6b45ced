// Reads values of a file that is not validated yet.

export function rawAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

export function rawListAt(value: unknown, key: string): unknown[] {
  const list = rawAt(value, key);
  return Array.isArray(list) ? list : [];
}

export function rawTextAt(value: unknown, key: string): string | undefined {
  const text = rawAt(value, key);
  return typeof text === "string" ? text : undefined;
}
