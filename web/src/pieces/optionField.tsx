/** Form fields for options, built from their JSON schema. */

import { useId, useState } from "preact/hooks";
import type { JsonSchema } from "../api/derived";
import type { MethodOption } from "../api/schemas";
import { toSentence } from "./format";

const OPTION_LABELS: Record<string, string> = {
  root_size: "Root pages",
  max_inlinks: "Max. in-links",
  per_domain: "Links per domain",
  stoplist: "Stoplist",
  stoplist_drops: "Stoplist drops",
  sampling: "Sampling of in-links",
  pages: "Start from pages",
  between: "Links between",
  exclude: "Exclude",
};

/** The label of an option. */
export function optionLabel(option: MethodOption): string {
  const label = OPTION_LABELS[option.parameter] ?? option.name.replaceAll("_", " ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

interface Props {
  option: MethodOption;
  value: readonly string[] | null;
  onChange: (value: readonly string[] | null) => void;
}

/** A field for one option; the value null is the default. */
export function OptionField({ option, value, onChange }: Props) {
  const id = useId();
  const schema = nonNullSchema(option.json_schema);
  const defaults = toStrings(option.default);
  const current = value ?? defaults;
  const change = (values: readonly string[]) => onChange(equalValues(values, defaults) ? null : values);
  const [invalid, setInvalid] = useState<{ typed: string; why: string } | null>(null);
  const shared = { id, "aria-describedby": `${id}-hint` };
  const first = current[0] ?? "";
  return (
    <div class={value === null ? "field" : "field set"}>
      <label for={id}>{optionLabel(option)}</label>
      {schema.enum || schema.type === "boolean" ? (
        <select {...shared} value={first} onChange={(event) => change([event.currentTarget.value])}>
          {(schema.enum ?? ["true", "false"]).map((choice) => (
            <option key={choice} value={String(choice)}>
              {schema.type === "boolean" ? (choice === "true" ? "yes" : "no") : choice}
            </option>
          ))}
        </select>
      ) : schema.type === "array" ? (
        <textarea
          {...shared}
          rows={2}
          value={current.join("\n")}
          placeholder="one per line"
          onChange={(event) => change(event.currentTarget.value.split("\n").map((line) => line.trim()).filter(Boolean))}
        />
      ) : schema.type === "integer" || schema.type === "number" ? (
        <input
          {...shared}
          type="number"
          step={schema.type === "integer" ? 1 : "any"}
          {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
          {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
          value={invalid?.typed ?? first}
          aria-invalid={invalid !== null}
          onChange={(event) => {
            const { value: typed, validationMessage: why } = event.currentTarget;
            setInvalid(why ? { typed, why } : null);
            if (!why) change([typed || (defaults[0] ?? "")]);
          }}
        />
      ) : (
        <input {...shared} type="text" value={first} onChange={(event) => change([event.currentTarget.value])} />
      )}
      {invalid && (
        <small class="invalid" role="alert">
          {toSentence(invalid.why)} The old value is still used.
        </small>
      )}
      <small id={`${id}-hint`}>
        {option.description}
        {value !== null && defaults.length > 0 && <> (default {defaults.join(", ")})</>}
      </small>
    </div>
  );
}

function nonNullSchema(schema: JsonSchema): JsonSchema {
  return schema.anyOf?.find((part) => part.type !== "null") ?? schema;
}

function toStrings(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === null || value === undefined ? [] : [String(value)];
}

function equalValues(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, k) => value === b[k]);
}
