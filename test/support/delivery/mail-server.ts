import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { inCheckout } from "../checkout.ts";
import { waitForCount } from "../wait-for.ts";

const pem = (name: string) =>
  readFileSync(inCheckout("test", "integration", "webhook", "tls", `${name}.pem`), "utf8");

/**
 * A real SMTP server on 127.0.0.1 that wants this login and keeps each mail. `isSecure`: TLS from
 * the start, with a certificate of an authority that nobody knows.
 */
export async function startMailServer(login: { user: string; pass: string; isSecure: boolean }) {
  const mails: { to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    secure: login.isSecure,
    key: pem("server-key"),
    cert: pem("server"),
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login.user && password === login.pass;
      // As some servers do, it repeats what it was given.
      done(isRight ? null : new Error(`no login for ${password}`), { user: username });
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text: Buffer.concat(chunks).toString("utf8") });
        done();
      });
    },
  });
  // Whoever refuses its certificate ends the connection.
  server.on("error", () => {});
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.server.address() as AddressInfo;
  const { user, pass } = login;
  return {
    mails,
    url: `smtp${login.isSecure ? "s" : ""}://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@127.0.0.1:${port}`,
    waitForCount: (count: number) =>
      waitForCount(() => mails.length, count, { what: "mails", timeoutMs: 20_000 }),
    stop: () => new Promise<void>((closed) => server.close(closed)),
  };
}
