import "@fontsource-variable/inter/wght.css";
import { render } from "preact";
import { interceptLinks } from "./route";
import { Shell } from "./shell";
import "./style/base.css";
import "./style/pieces.css";
import "./style/screens.css";
import "./style/structure.css";
import "./style/curate.css";
import "./style/explore.css";
import { startTheme } from "./theme";

startTheme();
interceptLinks();
const root = document.getElementById("weft");
if (root) render(<Shell />, root);
