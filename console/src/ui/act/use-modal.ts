import { useEffect, useRef } from "preact/hooks";

/** Of a dialog that stands above the page for as long as it is drawn. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return dialog;
}
