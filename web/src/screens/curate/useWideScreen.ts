/** Whether there is space for two columns. */

import { useEffect, useState } from "preact/hooks";

const TWO_COLUMNS = "(min-width: 56.01rem)";

export function useWideScreen(): boolean {
  const [wide, setWide] = useState(() => matchMedia(TWO_COLUMNS).matches);
  useEffect(() => {
    const media = matchMedia(TWO_COLUMNS);
    const update = () => setWide(media.matches);
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, []);
  return wide;
}
