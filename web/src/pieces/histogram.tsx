/** Captures by day, month or year; a bar leads to the pages of its period. */

import type { CaptureHistogram } from "../api/schemas";
import { formatCount } from "./format";

const [MAX_AXIS_LABELS, MAX_BAR_REM] = [6, 7];

interface Props {
  captures: CaptureHistogram;
  /** Where a bar leads, by the first day or month after the period, too. */
  href: (since: string, until: string) => string;
  /** The period that the pages are limited to, if any. */
  chosen?: string;
}

export function Histogram({ captures, href, chosen = "" }: Props) {
  const { periods, unit, undated } = captures;
  const most = Math.max(1, ...periods.map((each) => each.captures));
  const total = periods.reduce((sum, each) => sum + each.captures, undated);
  if (periods.length === 0)
    return undated > 0 ? <p class="soft small">The time of {formatCount(undated, "capture")} is not known.</p> : null;
  if (periods.length === 1 && undated === 0 && !chosen)
    return (
      <p class="soft small">
        {formatCount(total, "capture")}, all {unit === "day" ? "on" : "in"} {periods[0]?.period}
      </p>
    );
  const step = Math.ceil(periods.length / MAX_AXIS_LABELS);
  const wide = { maxWidth: `${periods.length * MAX_BAR_REM}rem` };
  return (
    <figure class="histogram">
      <figcaption>
        {formatCount(total, "capture")} by {unit}
        {undated > 0 && `, ${formatCount(undated, "capture")} without a date`}
      </figcaption>
      <ol class="histogram-bars" style={wide}>
        {periods.map(({ period, captures: count }) => (
          <li key={period}>
            <a
              href={href(period, nextPeriod(period))}
              aria-label={`${period}: ${formatCount(count, "capture")}`}
              aria-current={chosen === period ? "true" : undefined}
              title={`${period}: ${formatCount(count, "capture")}`}
            >
              <span style={{ height: `${count > 0 ? Math.max(2, (100 * count) / most) : 0}%` }} />
            </a>
          </li>
        ))}
      </ol>
      <p class="histogram-axis" aria-hidden="true" style={wide}>
        {periods.map(
          ({ period }, k) =>
            k % step === 0 && (
              <span key={period} style={{ left: `clamp(1.5rem, ${(100 * (k + 0.5)) / periods.length}%, 100% - 1.5rem)` }}>
                {period}
              </span>
            ),
        )}
      </p>
    </figure>
  );
}

/** The period after a year, month or day, as dates are written. */
export function nextPeriod(period: string): string {
  const [year = 1970, month, day] = period.split("-").map(Number);
  if (month === undefined) return String(year + 1);
  const next = day === undefined ? new Date(Date.UTC(year, month, 1)) : new Date(Date.UTC(year, month - 1, day + 1));
  return next.toISOString().slice(0, period.length);
}
