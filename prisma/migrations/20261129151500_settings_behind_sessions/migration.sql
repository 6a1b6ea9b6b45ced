-- A session that began at an identity provider ends when the settings of that sign-in change: its credential is a digest of
-- them. Those of the previous release have none, and are over.
ALTER TABLE "console_session" DROP CONSTRAINT "console_session_credential";
ALTER TABLE "console_session" ADD CONSTRAINT "console_session_credential"
  CHECK (CASE way WHEN 'admin_token' THEN credential IS NOT NULL WHEN 'oidc' THEN true ELSE credential IS NULL END);
