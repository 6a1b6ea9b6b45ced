-- What a role may whose daemons do not migrate (docs/operations.md#two-roles-of-postgresql). Run this as the role that owns Chainbell's
-- tables, in its database, after the first `chainbell migrate` and after that of each minor release. Safe to repeat. Whoever may makes the role before:
--   CREATE ROLE chainbell_daemon LOGIN PASSWORD '…';
GRANT USAGE ON SCHEMA public TO chainbell_daemon;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO chainbell_daemon;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO chainbell_daemon;

-- And on what later migrations add.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO chainbell_daemon;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO chainbell_daemon;

-- Which migrations were applied, and which part of the audit trail is in a file, is for the owner to write.
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations, audit_archive FROM chainbell_daemon;

-- Added to, and never changed. Triggers refuse a change too, and the owner alone could switch them off.
REVOKE UPDATE, DELETE ON ledger_entry, ledger_seal, reconciliation_record, audit_entry, audit_place FROM chainbell_daemon;

-- Sums of the journal: they change with it, and none goes away.
REVOKE DELETE ON ledger_account FROM chainbell_daemon;
