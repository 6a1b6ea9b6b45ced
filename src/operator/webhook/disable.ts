import { defineActivityChange } from "./activity-change.ts";

/** Notifies a webhook no longer: its deliveries are held. Safe to repeat. @throws Fault `webhook_not_found` */
export const webhookDisable = defineActivityChange({
  name: "disable",
  isActive: false,
  summary: "Notify it no longer; its events are held",
  help: "Notify a webhook no longer; its events are held.",
});
