/** The most names that are remembered. */
const maxNames = 10_000;

/** A map of limited size. When it is full, it drops the entry that was set longest ago. */
export function createRecent<Value>() {
  const values = new Map<string, Value>();
  return {
    get: (name: string) => values.get(name),
    forget: (name: string) => void values.delete(name),
    set(name: string, value: Value) {
      values.delete(name);
      const oldest = values.keys().next();
      if (values.size >= maxNames && !oldest.done) values.delete(oldest.value);
      values.set(name, value);
    },
  };
}
