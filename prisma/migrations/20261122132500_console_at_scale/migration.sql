-- What the lists of the console look for, where there are millions of what they do not. The two partial ones cost nothing while
-- notifications are usual ones and are delivered.
CREATE INDEX "delivery_failed_idx" ON "delivery"("business_id", "status") WHERE (status = ANY (ARRAY['exhausted'::text, 'cancelled'::text]));
CREATE INDEX "notification_seldom_idx" ON "notification"("business_id", "event", "created_at", "id") WHERE (event <> ALL (ARRAY['transaction.deposit'::text, 'transaction.withdrawal'::text, 'transaction.payment'::text]));

-- Of all businesses, newest first: the operator's list.
CREATE INDEX "notification_created_at_id_idx" ON "notification"("created_at", "id");
