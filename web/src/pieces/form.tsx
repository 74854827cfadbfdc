/** Options as form fields, made from their JSON schema. */

import { useId, useState } from "preact/hooks";
import type { Form, OptionCard } from "../ask/shapes";
import { sentence } from "./answered";

const NAMES: Record<string, string> = {
  root: "Root pages",
  inlinks: "In-link cap",
  per_domain: "Links per domain",
  stoplist: "Stop-list",
  stop: "Stop-list leaves out",
  sampling: "Choice of in-links",
  pages: "Start from pages",
  between: "Links between",
  without: "Leave out",
};

/** What an option is called on the screen. */
export function nameOf(option: OptionCard): string {
  const words = NAMES[option.parameter] ?? option.name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Props {
  option: OptionCard;
  value: readonly string[] | null;
  onChange: (value: readonly string[] | null) => void;
}

/** One option: what it means, and its value; null is the default. */
export function Field({ option, value, onChange }: Props) {
  const id = useId();
  const form = plain(option.form);
  const usual = written(option.default);
  const now = value ?? usual;
  const give = (given: readonly string[]) => onChange(same(given, usual) ? null : given);
  const [wrong, setWrong] = useState<{ typed: string; why: string } | null>(null);
  const shared = { id, "aria-describedby": `${id}-hint` };
  const one = now[0] ?? "";
  return (
    <div class={value === null ? "field" : "field set"}>
      <label for={id}>{nameOf(option)}</label>
      {form.enum || form.type === "boolean" ? (
        <select {...shared} value={one} onChange={(event) => give([event.currentTarget.value])}>
          {(form.enum ?? ["true", "false"]).map((choice) => (
            <option key={choice} value={String(choice)}>
              {form.type === "boolean" ? (choice === "true" ? "yes" : "no") : choice}
            </option>
          ))}
        </select>
      ) : form.type === "array" ? (
        <textarea
          {...shared}
          rows={2}
          value={now.join("\n")}
          placeholder="one a line"
          onChange={(event) => give(event.currentTarget.value.split("\n").map((line) => line.trim()).filter(Boolean))}
        />
      ) : form.type === "integer" || form.type === "number" ? (
        <input
          {...shared}
          type="number"
          step={form.type === "integer" ? 1 : "any"}
          {...(form.minimum === undefined ? {} : { min: form.minimum })}
          {...(form.maximum === undefined ? {} : { max: form.maximum })}
          value={wrong?.typed ?? one}
          aria-invalid={wrong !== null}
          onChange={(event) => {
            const { value: typed, validationMessage: why } = event.currentTarget;
            setWrong(why ? { typed, why } : null);
            if (!why) give([typed || (usual[0] ?? "")]);
          }}
        />
      ) : (
        <input {...shared} type="text" value={one} onChange={(event) => give([event.currentTarget.value])} />
      )}
      {wrong && (
        <small class="wrong" role="alert">
          {sentence(wrong.why)} It was not run again.
        </small>
      )}
      <small id={`${id}-hint`}>
        {option.description}
        {value !== null && usual.length > 0 && <> (usually {usual.join(", ")})</>}
      </small>
    </div>
  );
}

function plain(form: Form): Form {
  return form.anyOf?.find((part) => part.type !== "null") ?? form;
}

function written(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === null || value === undefined ? [] : [String(value)];
}

function same(one: readonly string[], two: readonly string[]): boolean {
  return one.length === two.length && one.every((value, k) => value === two[k]);
}
