-- A place in the chain of the audit trail is added, and never changed. It goes only once a file that is on record has its
-- entry. The daemon's own role cannot change it at all: this refuses a mistake of the owner, whose commands archive.
CREATE FUNCTION refuse_unarchived() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM audit_archive WHERE through_seq >= OLD.seq) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE ON audit_place FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON audit_place FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_until_archived BEFORE DELETE ON audit_place
  FOR EACH ROW EXECUTE FUNCTION refuse_unarchived();
