/* Mouse, pen and finger on a board: a square is tapped, or a piece is dragged from one to another. */

const SLOP = 6; // pixels that a tap may move

export class Pointer {
  /* `hands` has `grab(number)`, whether the piece there can be dragged, `tap(number)`, and `drop(from, to)`: `to` is 0
     beside the board. It may be set again at any time. */
  constructor(board, hands) {
    this.board = board;
    this.hands = hands;
    /** @type {{number: number, holds: boolean, at: number[], drags: boolean}|null} */
    this.held = null;
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.release());
    svg.addEventListener("touchstart", (event) => { if (this.held && this.held.holds) event.preventDefault(); }, { passive: false });
  }

  down(event) {
    if (event.button || this.held) return;
    const number = this.board.squareAt(event.clientX, event.clientY);
    if (!number) return;
    const holds = this.hands.grab(number);
    this.held = { number, holds, at: [event.clientX, event.clientY], drags: false };
    this.board.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.held || !this.held.holds) return;
    const { at, number } = this.held;
    if (Math.hypot(event.clientX - at[0], event.clientY - at[1]) > SLOP) this.held.drags = true;
    const use = this.held.drags && this.board.use(number);
    if (!use) return;
    const [[x, y], [fromX, fromY]] = [this.board.point(event.clientX, event.clientY), this.board.centre(number)];
    use.setAttribute("transform", `translate(${x - fromX} ${y - fromY})`);
    use.classList.add("dragged");
    if (use.nextSibling) use.parentNode.append(use);
  }

  up(event) {
    if (!this.held) return;
    const { number, drags } = this.held;
    const to = this.board.squareAt(event.clientX, event.clientY);
    this.release();
    if (drags && to !== number) this.hands.drop(number, to);
    else if (to === number) this.hands.tap(number);
  }

  release() {
    const use = this.held && this.board.use(this.held.number);
    if (use) {
      use.removeAttribute("transform");
      use.classList.remove("dragged");
    }
    this.held = null;
  }
}
