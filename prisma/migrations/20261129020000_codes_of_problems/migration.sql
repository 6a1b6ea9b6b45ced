-- The words for what is wrong with a line of credits, and for why a channel did not take an alert, with their values, so
-- that each reader words them. The previous release writes the sentences alone.
ALTER TABLE "credit_line" ADD COLUMN "problem_code" TEXT, ADD COLUMN "problem_values" JSONB;
ALTER TABLE "alert_message" ADD COLUMN "failure_code" TEXT, ADD COLUMN "failure_values" JSONB;
