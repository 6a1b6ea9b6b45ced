import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";
import { Command } from "./command.tsx";

type Shown = {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** What to run in a terminal, so that there is something. */
  command?: string;
};

/** Where there is nothing yet: what would be here, and how it comes here. */
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
