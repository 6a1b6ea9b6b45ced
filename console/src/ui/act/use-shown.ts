import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** True until the component is gone: work that it has begun may go on longer. */
export function useShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return isShown;
}
