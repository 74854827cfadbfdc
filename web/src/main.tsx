import { render } from "preact";
import { interceptLinks } from "./route";
import { Shell } from "./shell";
import "./style/base.css";
import "./style/pieces.css";
import "./style/screens.css";
import "./style/structure.css";

interceptLinks();
const root = document.getElementById("weft");
if (root) render(<Shell />, root);
