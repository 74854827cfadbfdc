/** Names for parts of responses, and what the API leaves open. */

import type { CommunitiesResponse, GraphCountsResponse, GroupRole, TopicsResponse } from "./schemas";

export type Level = GraphCountsResponse["level"];
export type Role = GroupRole["role"];
export type GroupsResponse = TopicsResponse | CommunitiesResponse;
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
  pattern?: string;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
}
