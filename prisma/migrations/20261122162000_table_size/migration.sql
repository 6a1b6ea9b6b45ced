-- How large each table was, once a day: what it grows by. A quarter of a year of it is kept.
CREATE TABLE "table_size" (
    "table_name" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "table_size_pkey" PRIMARY KEY ("table_name", "day")
);
