/** The options of a base set: read from an address, and as fields that run it again in place. */

import type { Methods, OptionCard } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { type Place, changed, go } from "../route";
import { Field } from "./form";

export type Given = Record<string, readonly string[]>;

/** The options of a base set that stand in an address; none until they are known by name. */
export function useBaseOptions(search: URLSearchParams): { known: boolean; options: readonly OptionCard[]; given: Given } {
  const methods = useAsk<Methods>("methods");
  const options = methods.data?.base ?? [];
  const names = options.map((option) => option.parameter).filter((name) => search.has(name));
  return { known: methods.data !== undefined, options, given: Object.fromEntries(names.map((name) => [name, search.getAll(name)])) };
}

interface Props {
  place: Place;
  options: readonly OptionCard[];
  /** Parameters that a change takes away. */
  gone: readonly string[];
}

/** A field for each option of a base set. */
export function BaseFields({ place, options, gone }: Props) {
  const away = Object.fromEntries(gone.map((name) => [name, null]));
  return (
    <>
      {options.map((option) => (
        <Field
          key={option.parameter}
          option={option}
          value={place.search.has(option.parameter) ? place.search.getAll(option.parameter) : null}
          onChange={(value) => go(changed(place, { ...away, [option.parameter]: value }))}
        />
      ))}
    </>
  );
}
