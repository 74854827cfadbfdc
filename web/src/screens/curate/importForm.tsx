/** A CSV file that is read here and sent to the server. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Write } from "./useWrite";

interface Props {
  path: string;
  heading: string;
  hint: string;
  write: Write;
  /** Further fields, which `words` reads. */
  children?: ComponentChildren;
  words?: (form: FormData) => Record<string, unknown>;
}

export function ImportForm({ path, heading, hint, write, children, words = () => ({}) }: Props) {
  const id = useId();
  return (
    <section>
      <h2>{heading}</h2>
      <form
        class="inline"
        aria-label={heading}
        onSubmit={(event) => {
          event.preventDefault();
          const element = event.currentTarget;
          const form = new FormData(element);
          const file = form.get("file");
          if (!(file instanceof File)) return;
          void file
            .text()
            .then((csv) => write.send([[path, { ...words(form), csv }]]))
            .then((done) => done && element.reset());
        }}
      >
        <label for={id} class="visually-hidden">
          CSV file
        </label>
        <input id={id} name="file" type="file" accept=".csv,text/csv" required aria-describedby={`${id}-hint`} />
        {children}
        <button type="submit" disabled={write.busy}>
          Import
        </button>
        <small id={`${id}-hint`}>{hint}</small>
      </form>
    </section>
  );
}
