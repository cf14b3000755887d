// What htmx does not do: focus, keys, announcements, copying. Every page works without it.
"use strict";

(() => {
  const ANNOUNCED_AFTER = 500;
  let announcing = 0;

  /** Say a result once, half a second after the last change. */
  function announce(text) {
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      document.getElementById("announce").textContent = text;
    }, ANNOUNCED_AFTER);
  }

  /** Whether an element has keys of its own for undoing. */
  function isTyping(element) {
    return element.closest("input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, [contenteditable], [role=tree]") !== null;
  }

  // An element with data-announce is said aloud when it has changed.
  document.addEventListener("htmx:afterSettle", (event) => {
    // What was replaced as a whole is no longer there.
    const target = event.detail.target.isConnected ? event.detail.target : event.target;
    const said = target.matches("[data-announce]") ? target : target.querySelector("[data-announce]");
    if (said) {
      announce(said.dataset.announce || said.textContent.trim().replace(/\s+/g, " "));
    }
    if (target.querySelector("#faults")) {
      target.querySelector("#faults").focus();
    }
  });

  // Whoever has changed the project from this page has seen it: all forms of the page may go on from there.
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const version = event.detail.requestConfig.verb === "post" && event.detail.xhr.getResponseHeader("Toolbox-Version");
    if (version) {
      document.querySelectorAll("input[name=version]").forEach((field) => {
        field.value = version;
      });
    }
  });

  // What was at work is not any more, and nobody knows how far it came: no bar goes on, and nothing asks again.
  const { gone: GONE, copied: COPIED } = document.getElementById("announce").dataset;
  document.addEventListener("htmx:sendError", () => {
    announce(GONE);
    const working = [...document.querySelectorAll(".work, p.doing")].filter((one) => !one.parentElement.closest(".work"));
    for (const one of working) {
      const told = document.createElement("p");
      told.className = "fault";
      told.textContent = GONE;
      one.replaceWith(told);
    }
  });

  // Enter in a field that was changed sends the change, and then its form. The form waits for the answer to the change:
  // it says which state of the project it was made of, and would otherwise name the one before.
  let underway = 0;
  let waiting = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    underway += event.detail.requestConfig.verb === "post" ? 1 : 0;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    underway -= event.detail.requestConfig.verb === "post" ? 1 : 0;
    if (underway === 0 && waiting) {
      const [form, submitter] = waiting;
      waiting = null;
      if (form.isConnected) {
        form.requestSubmit(submitter?.isConnected ? submitter : null);
      }
    }
  });
  document.addEventListener(
    "submit",
    (event) => {
      if (underway > 0) {
        event.preventDefault();
        event.stopImmediatePropagation();
        waiting = [event.target, event.submitter];
      }
    },
    true,
  );

  // To load a page again would take back a form that is on its way. The page that answers puts the focus where it was.
  const FOCUSED = "focused";
  let isSending = false;
  document.addEventListener("submit", (event) => {
    isSending = true;
    const focused = document.activeElement === document.body ? event.submitter : document.activeElement;
    // What is sent may be gone on the page that answers; then that says which elements may have taken its place.
    const names = focused ? [focused.id, focused.getAttribute("aria-label"), focused.dataset.then] : [];
    sessionStorage.setItem(FOCUSED, JSON.stringify([window.location.pathname, ...names]));
  });

  /** Give the focus to the first of some elements that is there and can have it; return whether one could. */
  function focusFirst(selectors) {
    return selectors.some((selector) => {
      const found = document.querySelector(selector);
      found?.focus();
      return found !== null && document.activeElement === found;
    });
  }

  /** Give the focus back to what had it when a form was sent from this very page, or to what took its place. */
  function focusAgain() {
    const [path, id, label, then] = JSON.parse(sessionStorage.getItem(FOCUSED) || "[]");
    const isHere = path === window.location.pathname && !window.location.hash;
    const own = id ? [`#${CSS.escape(id)}`] : label ? [`[aria-label="${CSS.escape(label)}"]`] : [];
    const others = then ? then.split(" ").map((name) => `#${CSS.escape(name)}`) : [];
    if (!isHere || focusFirst([...own, ...others])) {
      forgetFocus();
    }
  }

  function forgetFocus() {
    sessionStorage.removeItem(FOCUSED);
  }

  // It may come with a part of the page that is still counted. Whoever does something else meanwhile does not wait.
  document.addEventListener("htmx:afterSettle", () => {
    if (document.activeElement === document.body) {
      focusAgain();
    }
  });
  document.addEventListener("keydown", forgetFocus);
  document.addEventListener("pointerdown", forgetFocus);

  // A page that waits for a work is loaded again when that has ended.
  document.body.addEventListener("worked", (event) => {
    if (document.querySelector("[data-reload-on=worked]") && !isSending) {
      window.location.reload();
    }
    event.target.closest(".work")?.remove();
  });

  // Undo, redo and save by their usual keys.
  const KEYS = { z: "undo", y: "redo", s: "save" };
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) {
      return;
    }
    const key = event.key.toLowerCase();
    const button = document.getElementById(key === "z" && event.shiftKey ? "redo" : KEYS[key]);
    if (button) {
      event.preventDefault();
      if (!button.disabled) {
        button.click();
      }
    }
  });

  // A button with data-copies copies the text of an element.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies]");
    if (button) {
      navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent).then(() => {
        announce(`${COPIED}.`);
        button.textContent = COPIED;
      });
    }
  });

  // A form with data-at-once is sent as soon as a field of it has changed.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-at-once]");
    if (form) {
      form.requestSubmit();
    }
  });

  // Alt with an arrow, anywhere in the row of a quasi-identifier, moves its rank: up is more important, and 1 the most.
  document.addEventListener("keydown", (event) => {
    const step = event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = step && event.target.closest("tr[data-ranked]");
    const rank = row && row.querySelector("input[data-rank]");
    if (rank) {
      event.preventDefault();
      rank.value = Math.max(1, (Number(rank.value) || (step < 0 ? 2 : 0)) + step);
      rank.dispatchEvent(new Event("change", { bubbles: true }));
      announce(`${rank.getAttribute("aria-label")}: ${rank.value}`);
    }
  });

  // A field with data-previews begins a preview when it has changed, where the last one was quick.
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-previews]") && document.querySelector("#tried[data-at-once]")) {
      document.getElementById("preview").click();
    }
  });

  // What somebody has asked for is brought into sight, with its progress; what a changed field has begun is not.
  document.addEventListener("click", (event) => {
    if (event.isTrusted && event.target.closest("#preview")) {
      document.getElementById("tried").scrollIntoView();
    }
  });

  // A number and a slider that mean the same; before anybody else hears of the change, who would send the old number.
  document.addEventListener("input", (event) => {
    const other = event.target.dataset.same && document.getElementById(event.target.dataset.same);
    if (other) {
      other.value = event.target.value;
    }
  }, true);

  // On a narrow screen the steps scroll sideways, and the one that is shown may be out of sight.
  const rail = document.querySelector(".rail");
  const here = rail && rail.querySelector("[aria-current]");
  if (here) {
    rail.scrollLeft = here.offsetLeft - (rail.clientWidth - here.offsetWidth) / 2;
  }

  const faults = document.getElementById("faults");
  if (faults) {
    forgetFocus();
    faults.focus();
  } else {
    focusAgain();
  }
})();
