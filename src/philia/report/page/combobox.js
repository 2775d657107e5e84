// A field with completion, following the ARIA pattern of a combobox with a list box.

let comboboxes = 0;

/** The field; `find(text)` gives rows, `nameOf(row)` their names, and `pick(row)` is called with the choice. */
function combobox({ label, find, nameOf, pick }) {
  const id = `combobox-${++comboboxes}`;
  let options = [];
  let active = -1;
  const list = element("ul", { role: "listbox", id: `${id}-list`, "aria-label": `Matches: ${label}`, hidden: true });
  const status = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const input = element("input", {
    id, type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto",
    "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list",
    input: () => open(), keydown: onKey, blur: () => close(), focus: () => input.select(), click: () => open(),
  });

  function open() {
    options = find(input.value === shown ? "" : input.value);
    list.replaceChildren(...options.map(optionOf));
    list.hidden = !options.length;
    input.setAttribute("aria-expanded", String(options.length > 0));
    const number = `${plural(options.length, "name", "names")} to choose from`;
    status.textContent = options.length ? number : noneIn(input.value);
    status.classList.toggle("unseen", options.length > 0);
    input.classList.toggle("nothing", !options.length);
    activate(options.length && input.value !== shown ? 0 : -1);
  }

  function optionOf(row, i) {
    // Pressing an option must not take focus from the field, which would close the list before the click.
    const keepFocus = (event) => event.preventDefault();
    const listeners = { mousedown: keepFocus, click: () => choose(i) };
    return element(
      "li", { role: "option", id: `${id}-${i}`, "aria-selected": "false", ...listeners }, named(nameOf(row), 120),
    );
  }

  function noneIn(text) {
    return `${cut(text.trim(), 60)}: no name on this page contains this`;
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    activate(-1);
  }

  function activate(i) {
    active = i;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === i)));
    if (i < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `${id}-${i}`);
      list.children[i]?.scrollIntoView({ block: "nearest" });
    }
  }

  function choose(i) {
    const row = options[i];
    close();
    status.textContent = "";
    pick(row);
  }

  function onKey(event) {
    const isOpen = !list.hidden;
    const keys = {
      ArrowDown: () => (isOpen ? activate((active + 1) % options.length) : open()),
      ArrowUp: () => (isOpen ? activate((active <= 0 ? options.length : active) - 1) : open()),
      Enter: () => isOpen && active >= 0 && choose(active),
      Escape: () => {
        if (!isOpen) show(shown);
        close();
      },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  let shown = "";
  function show(name) {
    shown = name;
    input.value = name;
    input.classList.remove("nothing");
    status.classList.add("unseen");
  }
  const field = element("div", { class: "combobox" }, element("label", { for: id }, label), input, list, status);
  return { field, show };
}
