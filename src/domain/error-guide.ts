/** The person who can fix an error. */
type Actor = "caller" | "operator" | "receiver" | "Chainbell";

/**
 * Tells if the same request may succeed when it is repeated unchanged. `later`: it may. `no`: it
 * cannot. `never`: it must not be repeated, because it was carried out.
 */
type Repeat = "no" | "later" | "never";

/** The text of docs/errors.md and GET /docs/errors about a code. */
export type ErrorGuide = readonly [actor: Actor, repeat: Repeat, meaning: string, remedy: string];
