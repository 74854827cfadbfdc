/** All screens, in the order of the navigation: a screen is registered here, and nowhere else. */

import type { ScreenProps } from "./shell";
import { CommunitiesScreen } from "./screens/communities";
import { CrawlScreen } from "./screens/crawl";
import { CurateScreen } from "./screens/curate";
import { HomeScreen } from "./screens/home";
import { HostsScreen } from "./screens/hosts";
import { MapScreen } from "./screens/map";
import { MethodScreen } from "./screens/method";
import { PageScreen } from "./screens/page";
import { RankingScreen } from "./screens/ranking";
import { RankingsScreen } from "./screens/rankings";
import { SearchScreen } from "./screens/search";
import { SitesScreen } from "./screens/sites";
import { StructureScreen } from "./screens/structure";
import { TopicsScreen } from "./screens/topics";
import { UsageScreen } from "./screens/usage";

interface Screen {
  path: string;
  component: (props: ScreenProps) => preact.JSX.Element;
  /** Its name in the navigation; screens without one belong `under` another. */
  label?: string;
  under?: string;
}

export const SCREENS: readonly Screen[] = [
  { path: "/", component: HomeScreen },
  { path: "/topics", component: TopicsScreen, label: "Topics" },
  { path: "/search", component: SearchScreen, under: "/topics" },
  { path: "/page", component: PageScreen, under: "/topics" },
  { path: "/communities", component: CommunitiesScreen, label: "Communities" },
  { path: "/map", component: MapScreen, label: "Map" },
  { path: "/structure", component: StructureScreen, label: "Structure" },
  { path: "/hosts", component: HostsScreen, under: "/structure" },
  { path: "/sites", component: SitesScreen, under: "/structure" },
  { path: "/rankings", component: RankingsScreen, label: "Rankings" },
  { path: "/ranking", component: RankingScreen, under: "/rankings" },
  { path: "/method", component: MethodScreen, under: "/rankings" },
  { path: "/curate", component: CurateScreen, label: "Curate" },
  { path: "/usage", component: UsageScreen, label: "Usage" },
  { path: "/crawl", component: CrawlScreen, label: "Crawl" },
];
