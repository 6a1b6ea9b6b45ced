-- Which hosts have answered with traces of a chain's blocks, each with since when: one that has traced once keeps the chain
-- traced for as long as it is configured.
ALTER TABLE "chain" ADD COLUMN "traced_by" JSONB NOT NULL DEFAULT '{}';
