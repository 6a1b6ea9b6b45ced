import { type AlertMessage, linesOf, titleOf, worstFirst } from "../domain/alerts/message.ts";
import type { AlertChannel } from "./channel.ts";
import { post } from "./post.ts";

/** Discord refuses a text of more than 2,000 characters, and Mattermost one of more than 16,383. */
const mostCharacters = 2_000;

/**
 * An incoming webhook of Slack, Mattermost or Rocket.Chat, or of Discord with `/slack` at the end
 * of the URL.
 */
export function createSlackChannel(
  { url }: { url: string },
  { userAgent }: { userAgent: string },
): AlertChannel {
  return {
    name: "slack",
    send(message, signal) {
      const headers = { "user-agent": userAgent };
      return post(url, JSON.stringify({ text: textOf(message) }), { headers, signal });
    },
  };
}

/**
 * The text with as many alerts as the channel accepts, the worst first, and how many more there
 * are.
 */
function textOf(message: AlertMessage): string {
  const alerts = worstFirst(message.alerts);
  for (let shown = alerts.length; ; shown -= 1) {
    const left = alerts.length - shown;
    const lines = [
      `*${titleOf(message)}*`,
      ...linesOf({ ...message, alerts: alerts.slice(0, shown) }),
      ...(left === 0 ? [] : [`${left} more: see \`chainbell alert list\`.`]),
    ];
    const text = lines.map(plain).join("\n");
    if (text.length <= mostCharacters || shown === 0) return text.slice(0, mostCharacters);
  }
}

/** Escapes the three characters that Slack reads as mentions and links. */
function plain(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
