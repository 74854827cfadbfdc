import { render } from "preact";
import { followLinks } from "./route";
import { Shell } from "./shell";
import "./style/base.css";
import "./style/pieces.css";
import "./style/screens.css";
import "./style/survey.css";

followLinks();
const root = document.getElementById("weft");
if (root) render(<Shell />, root);
