-- Operators who sign in to the console at an identity provider.
ALTER TABLE "console_session" DROP CONSTRAINT "console_session_way",
  ADD CONSTRAINT "console_session_way" CHECK (way IN ('link', 'api_key', 'admin_token', 'oidc'));
