/**
 * Sets this process's time of day back or forward, as an operator or NTP does on a server; time
 * goes on passing as it did. Answers how to set it right again.
 */
export function stepClock(byMs: number): () => void {
  const { Date: TrueDate } = globalThis;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given) =>
      given.length === 0 ? new target(target.now() + byMs) : Reflect.construct(target, given),
    get: (target, name) =>
      name === "now" ? () => target.now() + byMs : Reflect.get(target, name, target),
  });
  return () => {
    globalThis.Date = TrueDate;
  };
}
