/** Form fields for options, built from their JSON schema. */

import { useId, useState } from "preact/hooks";
import type { JsonSchema } from "../api/derived";
import type { MethodOption } from "../api/schemas";
import { toSentence, withoutOptionSyntax } from "./format";

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
  const change = (values: readonly string[]) => onChange(equalValues(values.filter(Boolean), defaults) ? null : values);
  /** What is being typed, which a new rendering must keep, or why it was refused. */
  const [draft, setDraft] = useState<{ typed: string; why: string } | null>(null);
  const typing = {
    onInput: (event: { currentTarget: { value: string } }) => setDraft({ typed: event.currentTarget.value, why: "" }),
    onBlur: () => setDraft((last) => (last?.why ? last : null)),
  };
  const shared = { id, "aria-describedby": `${id}-hint` };
  const first = current[0] ?? "";
  const isNumber = schema.type === "integer" || schema.type === "number";
  return (
    <div class={value === null ? "field" : "field set"}>
      <label for={id}>{optionLabel(option)}</label>
      {schema.enum || schema.type === "boolean" ? (
        <select {...shared} value={first} onChange={(event) => change([event.currentTarget.value])}>
          {defaults.length === 0 && <option value="">default</option>}
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
          {...typing}
          value={draft?.typed ?? current.join("\n")}
          placeholder="one per line"
          onChange={(event) =>
            change(
              event.currentTarget.value
                .split("\n")
                .map((line) => line.trim())
                .filter(Boolean),
            )
          }
        />
      ) : (
        <input
          {...shared}
          {...(isNumber ? { type: "number", step: schema.type === "integer" ? 1 : "any" } : { type: "text" })}
          {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
          {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
          {...(schema.pattern === undefined ? {} : { pattern: schema.pattern })}
          {...typing}
          value={draft?.typed ?? first}
          aria-invalid={Boolean(draft?.why)}
          onChange={(event) => {
            const { value: typed, validationMessage: why } = event.currentTarget;
            setDraft(why ? { typed, why } : null);
            if (!why) change([typed || (isNumber ? (defaults[0] ?? "") : "")]);
          }}
        />
      )}
      {draft?.why && (
        <small class="invalid" role="alert">
          {toSentence(draft.why)} The old value is still used.
        </small>
      )}
      <small id={`${id}-hint`}>
        {withoutOptionSyntax(option.description)}
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
  return value === null || value === undefined || value === "" ? [] : [String(value)];
}

function equalValues(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, k) => value === b[k]);
}
