// Finds what overlaps and what is cut off: to be evaluated in a page.

/** Panels, and parts of a bar or a line, that overlap. */
export function overlaps() {
  const wrong = [];
  const groups = [[...document.querySelectorAll(".panel, .banner")]];
  for (const it of document.querySelectorAll(".banner, .head, .transport, .clock, .doing, .lines-of > div, .keys tr")) groups.push([...it.children]);
  for (const it of document.querySelectorAll(".line, .row, .crowd li")) groups.push([...it.children]);
  for (const group of groups) {
    const boxes = group.map((it) => ({ it, box: it.getBoundingClientRect() })).filter((one) => one.box.width > 0 && one.box.height > 0);
    boxes.forEach((a, at) => {
      for (const b of boxes.slice(at + 1)) {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        const inText = getComputedStyle(a.it).display === "inline" || getComputedStyle(b.it).display === "inline";
        const sticky = [a, b].some((one) => getComputedStyle(one.it).position === "sticky") && scrollY > 0;
        if (across > 1 && down > 1 && !inText && !sticky) wrong.push(`${a.it.className || a.it.tagName} on ${b.it.className || b.it.tagName}`);
      }
    });
  }
  return wrong;
}

/** What must be entirely visible, and is not. */
export function cuts() {
  const whole = ".banner b, .clock input, .frame, .tab, h2, h3, .crowd .count, .line .name, .line .runs, .holds .bar + span, .row .number, .jump, .does .doing, .crowd .doing, .rows[aria-label=Agents] .doing, .lines-of dt, .keys th, .legend li, .go";
  return [...document.querySelectorAll(whole)]
    .filter((it) => it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1)
    .map((it) => `${it.className || it.tagName}: ${it.textContent || it.value}`);
}
