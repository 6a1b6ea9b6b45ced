-- An entry of the audit trail is added, and never changed. It goes only once a file that is on record has it. The archive
-- removes the place together with the entry, so an entry without a place may go. So may one that Chainbell did not write:
-- it has no place, and waits as refused. An entry that still waits for its place stays.
-- The daemon's own role cannot change it at all: this refuses a mistake of the owner, whose commands archive.
CREATE FUNCTION refuse_unarchived_entry() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM audit_waiting WHERE entry_id = OLD.id AND refused_at IS NULL)
    AND NOT EXISTS (
      SELECT 1 FROM audit_place p
      WHERE p.entry_id = OLD.id AND NOT EXISTS (SELECT 1 FROM audit_archive WHERE through_seq >= p.seq)
    )
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_until_archived BEFORE DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_unarchived_entry();
