import { linesOf, titleOf } from "../domain/alerts/message.ts";
import type { AlertChannel } from "./channel.ts";
import { post } from "./post.ts";

/**
 * An incoming webhook of Slack, or of what takes its form: Mattermost, Rocket.Chat, Discord
 * (`/slack` at the URL's end).
 */
export function createSlackChannel(
  { url }: { url: string },
  { userAgent }: { userAgent: string },
): AlertChannel {
  return {
    name: "slack",
    send(message, signal) {
      const text = [`*${titleOf(message)}*`, ...linesOf(message)].map(plain).join("\n");
      const headers = { "user-agent": userAgent };
      return post(url, JSON.stringify({ text }), { headers, signal });
    },
  };
}

/** These three are what Slack reads as mentions and links. */
function plain(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
