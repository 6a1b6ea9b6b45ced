/** A registered webhook of a business. */
export type Interested = { id: string; isAdditional: boolean };

/** A way on which a notification goes. A null webhook: held until the business has a first one. */
export type Way = { webhookId: string | null; isAdditional: boolean };

/**
 * The webhooks that a notification goes to: the one place that decides it, judged once, when the
 * notification is written. The first webhook is always among them, also where there is none yet.
 */
export function waysOf(webhooks: readonly Interested[]): Way[] {
  const first = webhooks.find(({ isAdditional }) => !isAdditional);
  const additional = webhooks.filter(({ isAdditional }) => isAdditional);
  return [
    { webhookId: first?.id ?? null, isAdditional: false },
    ...additional.map(({ id }) => ({ webhookId: id, isAdditional: true })),
  ];
}
