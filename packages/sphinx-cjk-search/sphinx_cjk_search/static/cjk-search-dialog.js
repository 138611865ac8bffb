// Loads the search when its dialog is opened; searchtools.js shows results in there.
"use strict";

(() => {
const folder = new URL(".", document.currentScript.src); // _static
const load = (name) => {
  const script = document.createElement("script");
  script.src = new URL(name, folder);
  script.async = false; // one after the other
  document.head.append(script);
};
const field = !document.getElementById("search-results")
  && document.querySelector("dialog input[name=q]");
if (field) field.onfocus = () => {
  field.onfocus = null;
  ["language_data.js", "searchtools.js"].forEach(load);
};
})();
