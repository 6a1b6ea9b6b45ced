import { render } from "preact";
import { App } from "./app/app.tsx";
import { applyTheme, chosenTheme } from "./app/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/gate.css";
import "./styles/controls.css";
import "./styles/floating.css";
import "./styles/card.css";
import "./styles/table.css";
import "./styles/show.css";
import "./styles/chart.css";
import "./styles/parts.css";
import "./styles/print.css";

applyTheme(chosenTheme());
const root = document.getElementById("root");
if (root !== null) render(<App />, root);
