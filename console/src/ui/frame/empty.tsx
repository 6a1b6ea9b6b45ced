import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";
import { Command } from "./command.tsx";

type Shown = {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** The command that makes the first entry, for a terminal. */
  command?: string;
};

/** The text of an empty list: what the list will show, and how to fill it. */
export function Empty({ icon, title, children, command }: Shown) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && <Command line={command} />}
    </div>
  );
}
