/**
 * Settings of a session, by which PostgreSQL ends it within a minute after its client has vanished
 * without a word. By default Linux tests an idle connection after two hours.
 * Times are in seconds. They have no effect on a Unix-domain socket.
 */
export const keptAlive = {
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
} as const;

/** The same as options of the login. A pooler refuses these. */
export const keptAliveOptions = Object.entries(keptAlive)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");
