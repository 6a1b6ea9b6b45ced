-- Which part of the audit trail is in a file, and how far it is removed from here: what is left begins after the entry that was removed last.
CREATE TABLE "audit_archive" (
    "through_seq" BIGINT NOT NULL,
    "through_hash" TEXT NOT NULL,
    "after_seq" BIGINT NOT NULL,
    "after_hash" TEXT NOT NULL,
    "removed_seq" BIGINT NOT NULL,
    "removed_hash" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "audit_archive_pkey" PRIMARY KEY ("through_seq")
);
CREATE INDEX "audit_archive_removed_seq_idx" ON "audit_archive"("removed_seq");
