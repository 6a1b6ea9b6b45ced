/** A business's own webhook, or with a null business any current one: the operator's. */
export type WebhookName = { businessId: string | null; webhookId: string };

/** Where a business is notified, and how that goes. Never the secret. */
export type WebhookRegistration = {
  id: string;
  url: string;
  isActive: boolean;
  createdAt: Date;
  lastSuccessAt: Date | null;
  consecutiveFailures: number;
  disabledAt: Date | null;
  disabledReason: string | null;
  /** While a rotation overlaps: until when both secrets sign. */
  overlapEndsAt: Date | null;
};
