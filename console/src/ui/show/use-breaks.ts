import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

/** True within what makes its own room for a number, as a table does where the window is wide. */
export const RoomContext = createContext(false);

const narrow = window.matchMedia("(max-width: 640px)");

/** Answers whether a number may go on in the next line, between two groups of its digits. */
export function useBreaks(): boolean {
  const hasRoom = useContext(RoomContext);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const follow = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);
  return isNarrow || !hasRoom;
}
