/** The options of a base set: read from the URL, and as form fields. */

import type { MethodOption, MethodsResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { navigate, type Route, withParams } from "../route";
import { OptionField } from "./optionField";

export type GivenOptions = Record<string, readonly string[]>;

/** Words of a selection for which screens have a field of their own. */
const SCREEN_WORDS = ["level", "query"];

/** The base set options in a URL; none until their names are loaded. */
export function useBaseOptions(search: URLSearchParams): { loaded: boolean; options: readonly MethodOption[]; given: GivenOptions } {
  const methods = useApi<MethodsResponse>("methods");
  const options = (methods.data?.base_options ?? []).filter((option) => !SCREEN_WORDS.includes(option.parameter));
  const names = options.map((option) => option.parameter).filter((name) => search.has(name));
  return { loaded: methods.data !== undefined, options, given: Object.fromEntries(names.map((name) => [name, search.getAll(name)])) };
}

interface Props {
  route: Route;
  options: readonly MethodOption[];
  /** Parameters that a change removes. */
  resetParams: readonly string[];
}

/** A field for each option of a base set. */
export function BaseSetFields({ route, options, resetParams }: Props) {
  const reset = Object.fromEntries(resetParams.map((name) => [name, null]));
  return (
    <>
      {options.map((option) => (
        <OptionField
          key={option.parameter}
          option={option}
          value={route.search.has(option.parameter) ? route.search.getAll(option.parameter) : null}
          onChange={(value) => navigate(withParams(route, { ...reset, [option.parameter]: value }))}
        />
      ))}
    </>
  );
}
