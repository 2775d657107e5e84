// The names that a reader gives to communities. They are kept in this browser, and in a copy of the page that can be
// saved and sent around.

const NAMES_ID = "philia-names";

/** By the community, such as B1. */
const givenNames = new Map();

/** Called after a community was renamed. */
const renamedListeners = [];

/** What a community is known as: the name that it was given, what sets it apart, or its strongest members. */
function knownAs({ name, known, title }) {
  return givenNames.get(name) ?? known ?? title;
}

/** The same as an element, which follows every renaming. */
function knownName(community, longest) {
  const host = element("span", {});
  const show = () => host.replaceChildren(named(knownAs(community), longest));
  renamedListeners.push(show);
  show();
  return host;
}

/** A name in a drawing: the one that was given, or the short one. */
function nameInDrawing({ name }) {
  return cut(givenNames.get(name) ?? name, 28);
}

/** The page as it came, without names, and the names that came with it. */
function takeOriginal() {
  const brought = document.getElementById(NAMES_ID);
  brought?.remove();
  return { page: `<!DOCTYPE html>\n${document.documentElement.outerHTML}`, names: brought?.textContent };
}

/** Learns the names that came with the page, and those of an earlier visit; without storage they are soon forgotten. */
function recallNames({ title, graph }, names) {
  const key = `philia names: ${title}, ${graph.nodes}, ${graph.links}`;
  const learn = (text) => {
    for (const [name, given] of Object.entries(JSON.parse(text ?? "{}"))) givenNames.set(name, String(given));
  };
  try {
    learn(names);
    learn(window.localStorage.getItem(key));
  } catch { /* storage is not allowed here, or holds something else */ }
  renamedListeners.push(() => {
    try {
      window.localStorage.setItem(key, JSON.stringify(Object.fromEntries(givenNames)));
    } catch { /* not allowed here */ }
  });
}

function rename({ name }, text) {
  const given = text.trim();
  if (given) givenNames.set(name, given);
  else givenNames.delete(name);
  renamedListeners.forEach((listener) => listener());
}

/** What a community is known as, and a button to change it. */
function editableName(community) {
  const label = `Rename ${community.name}`;
  const edit = element("button", { type: "button", class: "rename", "aria-label": label, title: label }, "✎");
  const host = element("p", { class: "known-as" }, knownName(community, 120), " ", edit);
  edit.addEventListener("click", () => {
    const field = element("input", { type: "text", maxlength: "120", "aria-label": `New name of ${community.name}` });
    field.value = givenNames.get(community.name) ?? "";
    field.placeholder = community.known ?? community.title;
    const shown = [...host.childNodes];
    let open = true;
    const close = (keep) => {
      if (!open) return;
      open = false;
      host.replaceChildren(...shown);
      if (keep) rename(community, field.value);
      edit.focus();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();  // the button gets the focus, and would be pressed
      close(event.key === "Enter");
    });
    field.addEventListener("blur", () => close(true));
    host.replaceChildren(field);
    field.focus();
  });
  return host;
}

/** A button that saves this page with the names; it is there once a community has one. */
function namedPageButton(page) {
  const save = () => {
    const names = JSON.stringify(Object.fromEntries(givenNames)).replaceAll("<", "\\u003c");
    const block = element("script", { type: "application/json", id: NAMES_ID }, names);
    const at = page.lastIndexOf("<", page.indexOf('id="philia-data"'));
    saveFile(`${fileStem()}.html`, `${page.slice(0, at)}${block.outerHTML}${page.slice(at)}`, "text/html;charset=utf-8");
  };
  const button = element("button", { type: "button", class: "save", click: save }, "↓ This page with these names");
  const show = () => { button.hidden = givenNames.size === 0; };
  renamedListeners.push(show);
  show();
  return button;
}
