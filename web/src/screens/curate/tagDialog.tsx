/** Dialogs that tag rows with any facet and value, or write a note on them. */

import { useId, useState } from "preact/hooks";
import type { FacetSchema } from "../../api/schemas";
import { displayName, formatCount } from "../../pieces/format";
import { Dialog } from "./dialog";
import { type Draft, ownTag, type Row } from "./rows";

interface Props {
  targets: readonly Row[];
  facet: string;
  close: () => void;
}

function describe(targets: readonly Row[]): string {
  const [only] = targets;
  return targets.length === 1 && only ? displayName(only) : formatCount(targets.length, "selected row");
}

export function TagDialog({
  targets,
  facet,
  facets,
  close,
  save,
}: Props & { facets: readonly FacetSchema[]; save: (draft: Draft) => void }) {
  const [chosen, setChosen] = useState(facet === "decision" ? "" : facet);
  const id = useId();
  const values = facets.find((each) => each.facet === chosen)?.values ?? [];
  return (
    <Dialog heading="Tag" close={close}>
      <form
        method="dialog"
        aria-label="Tag"
        onSubmit={(event) => {
          const form = new FormData(event.currentTarget);
          const text = (name: string) => String(form.get(name) ?? "").trim();
          save({ facet: text("facet"), value: text("value").replace(/^\/+|\/+$/g, ""), why: text("why") });
        }}
      >
        <p class="soft">
          <bdi>{describe(targets)}</bdi>
        </p>
        <div class="field">
          <label for={`${id}facet`}>Facet</label>
          <input
            id={`${id}facet`}
            name="facet"
            type="text"
            required
            autofocus={chosen === ""}
            autocomplete="off"
            list={`${id}facets`}
            pattern="[a-z][a-z0-9_\-]{0,39}"
            title="lower-case letters, digits and hyphens, such as topic"
            placeholder="topic"
            value={chosen}
            onInput={(event) => setChosen(event.currentTarget.value)}
          />
          <datalist id={`${id}facets`}>
            {facets.map((each) => (
              <option key={each.facet} value={each.facet} />
            ))}
          </datalist>
        </div>
        <div class="field">
          <label for={`${id}value`}>Value</label>
          <input
            id={`${id}value`}
            name="value"
            type="text"
            required
            autofocus={chosen !== ""}
            autocomplete="off"
            list={`${id}values`}
            maxLength={200}
            placeholder="science/physics"
          />
          <datalist id={`${id}values`}>
            {values.map(({ value }) => (
              <option key={value} value={value} />
            ))}
          </datalist>
          <small>values may have levels, such as science/physics</small>
        </div>
        <div class="field">
          <label for={`${id}why`}>Note</label>
          <textarea id={`${id}why`} name="why" rows={2} maxLength={2000} />
        </div>
        <DialogButtons close={close} />
      </form>
    </Dialog>
  );
}

export function NoteDialog({ targets, facet, close, save }: Props & { save: (why: string) => void }) {
  const id = useId();
  const [only] = targets;
  const known = targets.length === 1 && only ? (ownTag(only, facet) ?? ownTag(only, "decision"))?.why : "";
  return (
    <Dialog heading="Note" close={close}>
      <form
        method="dialog"
        aria-label="Note"
        onSubmit={(event) =>
          save(
            String(new FormData(event.currentTarget).get("why") ?? "")
              .replace(/\s+/g, " ")
              .trim(),
          )
        }
      >
        <p class="soft">
          <bdi>{describe(targets)}</bdi>
        </p>
        <div class="field">
          <label for={id}>Why</label>
          <textarea id={id} name="why" rows={4} maxLength={2000} autofocus defaultValue={known} />
          <small>kept with the value; a page without one becomes undecided</small>
        </div>
        <DialogButtons close={close} />
      </form>
    </Dialog>
  );
}

function DialogButtons({ close }: { close: () => void }) {
  return (
    <p class="dialog-buttons">
      <button type="submit" class="main">
        Save
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </p>
  );
}
