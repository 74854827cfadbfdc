/** The colour scheme: that of the system, unless a person chose one. */

import { useEffect, useState } from "preact/hooks";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "weft-theme";
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

export function chosenTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? "auto";
  } catch {
    return "auto"; // storage is switched off
  }
}

/** Light or dark, as it is shown now. */
function shownTheme(): "light" | "dark" {
  const theme = chosenTheme();
  if (theme !== "auto") return theme;
  return darkScheme.matches ? "dark" : "light";
}

function apply(): void {
  document.documentElement.dataset["theme"] = shownTheme();
  for (const watcher of watchers) watcher();
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // it holds for this visit only
  }
  apply();
}

/** Show the theme before anything is drawn, and follow the system. */
export function startTheme(): void {
  apply();
  darkScheme.addEventListener("change", apply);
}

/** The chosen theme and the one shown, updated as they change. */
export function useTheme(): { chosen: Theme; shown: "light" | "dark" } {
  const [theme, setTheme] = useState({ chosen: chosenTheme(), shown: shownTheme() });
  useEffect(() => {
    const update = () => setTheme({ chosen: chosenTheme(), shown: shownTheme() });
    watchers.add(update);
    return () => {
      watchers.delete(update);
    };
  }, []);
  return theme;
}
