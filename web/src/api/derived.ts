/** Names for parts of responses, and what the API leaves open. */

import type { GraphCountsResponse, TopicRole } from "./schemas";

export type Level = GraphCountsResponse["level"];
export type Role = TopicRole["role"];
export type Dimension = "model" | "metric" | "algorithm" | "scope" | "data" | "application";

/** What every response has. */
export interface ApiResponse {
  snapshot: number;
}

/** The JSON schema of an option. */
export interface JsonSchema {
  type?: string;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
}

/** A part of a page that acts as a hub; `fragment` is HTML, of which only the text is shown. */
export interface MicroHub {
  page: string;
  count: number;
  fragment: string;
}
