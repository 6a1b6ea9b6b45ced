import { defineActivityChange } from "./activity-change.ts";

/** Notifies a webhook again: its held deliveries are due, and its health begins anew. Safe to repeat. @throws Fault `webhook_not_found` */
export const webhookEnable = defineActivityChange({
  name: "enable",
  isActive: true,
  summary: "Notify it again; what was held is due at once",
  help: "Notify a webhook again; what was held for it is due at once.",
});
