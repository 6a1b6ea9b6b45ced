-- Finds what is old enough to be forgotten: a few pages, however many rows there are.
CREATE INDEX "notification_created_at_idx" ON "notification" USING BRIN ("created_at");
