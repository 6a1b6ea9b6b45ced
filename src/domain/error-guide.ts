/** The one who can mend an error. */
type Actor = "caller" | "operator" | "receiver" | "Chainbell";

/**
 * Says whether the same request may succeed without a change. `later`: it may. `no`: it cannot.
 * `never`: it must not be sent again, because it was carried out.
 */
type Repeat = "no" | "later" | "never";

/** The text that docs/errors.md and GET /docs/errors have for a code. */
export type ErrorGuide = readonly [actor: Actor, repeat: Repeat, meaning: string, remedy: string];
