/** A modal dialog; Escape and the button at its corner close it. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog({ heading, close, children }: { heading: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <button type="button" class="close" aria-label="Close" onClick={() => dialog.current?.close()}>
        ×
      </button>
      <h2 id={id}>{heading}</h2>
      {children}
    </dialog>
  );
}
