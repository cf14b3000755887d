// The tree of a hierarchy by keyboard, as WAI-ARIA describes trees. Without this script it is a list of links and boxes.
"use strict";

(() => {
  const tree = document.querySelector("[data-tree]");
  const form = document.getElementById("edit");
  if (!form) {
    return;
  }
  const told = document.getElementById("how-many");
  const boxes = () => [...form.querySelectorAll("input[name=chosen]")];
  const chosen = () => boxes().filter((box) => box.checked);

  /** Tell how many are chosen, beside the buttons. */
  function count() {
    const many = chosen().length;
    told.textContent = many ? told.dataset.some.replace("#", many.toLocaleString(document.documentElement.lang)) : told.dataset.none;
  }

  // Enter in a field means the button beside it.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input[type=text]")) {
      event.preventDefault();
      event.target.closest(".inline").querySelector("button").click();
    }
    if (event.key === "Escape" && event.target.matches("input[type=text]") && tree) {
      focusOn(current());
    }
  });
  form.addEventListener("change", count);
  count();
  if (!tree) {
    return;
  }

  const items = () => [...tree.querySelectorAll("li")].filter((item) => !item.parentElement.closest("[data-open=false]"));
  const current = () => tree.querySelector("li[tabindex='0']");
  const boxOf = (item) => item.querySelector(":scope > .branch > input");
  const isOpen = (item) => item.dataset.open === "true";
  let cut = null;
  let typed = "";
  let typedAt = 0;

  /** Say a sentence aloud. */
  function say(words) {
    document.getElementById("announce").textContent = words;
  }

  /** Make list items into items of a tree. */
  function enhance(list, level) {
    for (const item of list.children) {
      const name = item.querySelector(":scope > .branch > .name");
      const of = item.querySelector(":scope > .branch > .of");
      item.setAttribute("role", "treeitem");
      item.setAttribute("aria-level", level);
      item.setAttribute("aria-posinset", item.dataset.position);
      item.setAttribute("aria-setsize", item.dataset.size);
      item.setAttribute("aria-label", [name, of].filter(Boolean).map((part) => part.textContent.trim()).join(", "));
      item.tabIndex = -1;
      name.removeAttribute("href");
      const box = boxOf(item);
      if (box) {
        box.tabIndex = -1;
        box.setAttribute("aria-hidden", "true");
        item.setAttribute("aria-selected", box.checked);
      }
      if ("open" in item.dataset) {
        item.setAttribute("aria-expanded", isOpen(item));
      }
      const below = item.querySelector(":scope > ul");
      if (below) {
        below.setAttribute("role", "group");
        enhance(below, level + 1);
      }
    }
  }

  function focusOn(item, quietly) {
    if (!item) {
      return;
    }
    const before = current();
    if (before) {
      before.tabIndex = -1;
    }
    item.tabIndex = 0;
    if (!quietly) {
      item.focus();
    }
  }

  function choose(item, is) {
    const box = boxOf(item);
    if (box) {
      box.checked = is;
      item.setAttribute("aria-selected", is);
      count();
    }
  }

  function chooseOnly(item) {
    for (const other of tree.querySelectorAll("[aria-selected=true]")) {
      choose(other, false);
    }
    choose(item, true);
  }

  /** Fetch branches that are not there yet. */
  async function branches(key, offset) {
    const query = new URLSearchParams({ at: key, offset });
    const answer = await fetch(`${tree.dataset.branches}?${query}`);
    if (!answer.ok) {
      say(told.dataset.unopened);
      return null;
    }
    const list = document.createElement("ul");
    list.innerHTML = await answer.text();
    return list;
  }

  async function open(item) {
    if (item.dataset.open !== "false") {
      return;
    }
    item.dataset.open = "true";
    item.setAttribute("aria-expanded", true);
    if (!item.querySelector(":scope > ul")) {
      const list = await branches(item.dataset.key, 0);
      if (list) {
        list.setAttribute("role", "group");
        enhance(list, Number(item.getAttribute("aria-level")) + 1);
        item.append(list);
      }
    }
  }

  function close(item) {
    item.dataset.open = "false";
    item.setAttribute("aria-expanded", false);
  }

  async function more(item) {
    const list = await branches(item.dataset.more, item.dataset.offset);
    if (list) {
      enhance(list, Number(item.getAttribute("aria-level")));
      const first = list.firstElementChild;
      item.replaceWith(...list.children);
      focusOn(first);
    }
  }

  function activate(item) {
    if (item.dataset.more) {
      more(item);
    } else if (isOpen(item)) {
      close(item);
    } else {
      open(item);
    }
  }

  /** Let the buttons mean the item that has the focus, if nothing is chosen. */
  function mean(item) {
    if (!chosen().length) {
      choose(item, true);
    }
  }

  function press(action) {
    form.querySelector(`button[value=${action}]`).click();
  }

  function paste(item) {
    if (!cut) {
      say(told.dataset.uncut);
      return;
    }
    for (const box of boxes()) {
      choose(box.closest("li"), cut.includes(box.value));
    }
    document.getElementById("parent").value = item.dataset.key.replace(/^\d+:/, "");
    press("move");
  }

  const COMMANDS = {
    F2: (item) => {
      chooseOnly(item);
      const field = document.getElementById("name");
      field.value = item.dataset.key.replace(/^\d+:/, "");
      field.focus();
      field.select();
    },
    Delete: (item) => {
      mean(item);
      press("remove");
    },
    "Control+x": (item) => {
      mean(item);
      cut = chosen().map((box) => box.value);
      for (const other of tree.querySelectorAll("li")) {
        other.classList.toggle("cut", cut.includes(other.dataset.key));
      }
      say(told.dataset.cut.replace("#", cut.length));
    },
    "Control+v": paste,
    "Control+g": (item) => {
      mean(item);
      document.getElementById("group").focus();
    },
    "Control+a": (item) => {
      for (const other of item.parentElement.children) {
        choose(other, true);
      }
    },
    "Control+z": () => document.getElementById("undo").click(),
    "Control+y": () => document.getElementById("redo").click(),
    "Control+s": () => document.getElementById("save").click(),
    " ": (item) => choose(item, item.getAttribute("aria-selected") !== "true"),
    Enter: activate,
    ArrowRight: (item) => (item.dataset.open === "false" ? open(item) : focusOn(item.querySelector(":scope > ul > li"))),
    ArrowLeft: (item) => (isOpen(item) ? close(item) : focusOn(item.parentElement.closest("li"))),
    ArrowDown: (item) => focusOn(beside(item, 1)),
    ArrowUp: (item) => focusOn(beside(item, -1)),
    "Shift+ArrowDown": (item) => extend(item, 1),
    "Shift+ArrowUp": (item) => extend(item, -1),
    Home: () => focusOn(items()[0]),
    End: () => focusOn(items().at(-1)),
  };

  function beside(item, step) {
    const all = items();
    return all[all.indexOf(item) + step];
  }

  function extend(item, step) {
    const next = beside(item, step);
    choose(item, true);
    if (next) {
      choose(next, true);
      focusOn(next);
    }
  }

  /** Go to the next item that begins with what is typed. */
  function find(item, letter) {
    typed = Date.now() - typedAt < 700 ? typed + letter : letter;
    typedAt = Date.now();
    const all = items();
    const from = all.indexOf(item) + (typed.length > 1 ? 0 : 1);
    const begins = (one) => one.getAttribute("aria-label").toLowerCase().startsWith(typed.toLowerCase());
    focusOn([...all.slice(from), ...all.slice(0, from)].find(begins));
  }

  tree.addEventListener("keydown", (event) => {
    const item = event.target.closest("li");
    if (event.target !== item || event.altKey) {
      return;
    }
    const control = event.ctrlKey || event.metaKey ? "Control+" : "";
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const command = COMMANDS[`${control}${event.shiftKey && event.key.length > 1 ? "Shift+" : ""}${key}`];
    if (command) {
      event.preventDefault();
      command(item);
    } else if (!control && event.key.length === 1) {
      find(item, event.key);
    }
  });

  tree.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (!item) {
      return;
    }
    focusOn(item);
    if (event.target.matches("input")) {
      choose(item, event.target.checked);
    } else if (event.target.closest(".branch")) {
      event.preventDefault();
      activate(item);
    }
  });

  // The page that follows has the same branches open, and the focus where it was.
  form.addEventListener("submit", () => {
    const opened = [...tree.querySelectorAll("li[data-open=true]")].map((item) => item.dataset.key);
    form.elements.opened.value = JSON.stringify(opened);
    form.elements.focus.value = current()?.dataset.key ?? "";
  });

  tree.setAttribute("role", "tree");
  tree.setAttribute("aria-multiselectable", "true");
  tree.setAttribute("aria-label", tree.dataset.tree);
  enhance(tree, 1);
  const before = form.elements.focus.value;
  const found = [...tree.querySelectorAll("li")].find((item) => item.dataset.key === before);
  focusOn(found ?? tree.querySelector("li"), !("edited" in form.dataset));
})();
