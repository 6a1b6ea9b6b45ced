-- What the operator is alerted of: which conditions were seen and since when, and what is to be sent of them to each channel.
CREATE TABLE "alert" (
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "notified_at" TIMESTAMPTZ(3),
    "gone_since" TIMESTAMPTZ(3),

    CONSTRAINT "alert_pkey" PRIMARY KEY ("kind", "subject"),
    CONSTRAINT "alert_gone" CHECK ("gone_since" IS NULL OR "notified_at" IS NOT NULL)
);
CREATE TABLE "alert_message" (
    "id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "message" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_message_pkey" PRIMARY KEY ("id", "channel")
);
