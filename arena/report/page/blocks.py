"""The blocks of a page and its sections: each block writes itself as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from markupsafe import Markup, escape

from arena.base.number import unbroken
from arena.report.marks import elo_html, player_link, scale, whisker
from arena.report.sentences.claims import Claim
from arena.report.tables.table import Cell, Grid, Heading, Style
from arena.report.template import escaped, wrapping


class Block(Protocol):
    """A part of a section."""

    def html(self) -> Markup:
        """The block as a part of a page."""

    def markdown(self) -> str:
        """The block as Markdown; "" for one that only a page can show."""


class Section(NamedTuple):
    """A part of a page with a heading."""

    anchor: str
    """Its place in the page's navigation; "" for none."""
    title: str
    blocks: Sequence[Block]

    def html(self) -> Markup:
        anchor = Markup(' id="{}"').format(self.anchor) if self.anchor else ""
        return Markup("<h2{}>{}</h2>\n").format(anchor, self.title) + together(self.blocks)

    def markdown(self) -> str:
        inside = together_in_markdown(self.blocks)
        return f"## {escaped(self.title)}\n\n{inside}" if inside else ""


class Text(NamedTuple):
    """A paragraph; `label` stands before it in bold, `code` after it."""

    text: str
    style: str = ""
    """Its class in the page's style sheet: facts, note, first, failed."""
    label: str = ""
    code: str = ""
    player: str = ""
    """The player whose name stands before the text, and leads to the player's page if that is `linked`."""
    linked: Collection[str] = ()

    def html(self) -> Markup:
        label = Markup("<b>{}</b> ").format(self.label) if self.label else ""
        code = Markup(" <code>{}</code>").format(self.code) if self.code else ""
        name = player_link(self.player) if self.player in self.linked else wrapping(self.player)
        before = name + Markup(" ") if self.player else ""
        return Markup('<p class="{}">{}{}{}{}</p>').format(self.style, label, before, wrapping(self.text), code)

    def markdown(self) -> str:
        label, code = f"**{escaped(self.label)}** " * bool(self.label), f" `{self.code}`" * bool(self.code)
        before = f"{escaped(self.player)} " if self.player else ""
        return f"{label}{before}{escaped(self.text)}{code}"


class Items(NamedTuple):
    """Sentences, each an item of a list."""

    sentences: Sequence[str]
    label: str = ""

    def html(self) -> Markup:
        label = Markup('<p class="note"><b>{}</b></p>\n').format(self.label) if self.label else Markup()
        items = Markup("\n").join(Markup("<li>{}</li>").format(wrapping(text)) for text in self.sentences)
        return label + Markup('<ul class="items">\n{}\n</ul>').format(items)

    def markdown(self) -> str:
        label = f"**{escaped(self.label)}**\n\n" * bool(self.label)
        return label + "\n".join(f"- {escaped(text)}" for text in self.sentences)


class Claims(NamedTuple):
    """Claims, one a line, their intervals drawn on one axis."""

    claims: Sequence[Claim]

    def html(self) -> Markup:
        ends = scale(claim.interval for claim in self.claims)
        return Markup('<ul class="answer">\n{}\n</ul>').format(
            Markup("\n").join(_claim_line(claim, ends) for claim in self.claims)
        )

    def markdown(self) -> str:
        return "\n".join(f"- {escaped(claim.sentence)}" for claim in self.claims)


def _claim_line(claim: Claim, ends: tuple[float, float]) -> Markup:
    names = (Markup("<b>{}</b>").format(wrapping(name)) for name in claim.names)
    said = Markup(escape(unbroken(claim.words))).format(*names)
    notes = Markup(" <small>{}</small>").format(wrapping(claim.note)) if claim.note else ""
    number = elo_html(claim.interval) if claim.interval else ""
    return Markup('<li{}><span class="say">{}{}</span><span class="n">{}</span>{}</li>').format(
        Markup("") if claim.is_shown else Markup(' class="open"'),
        said, notes, number, whisker(claim.interval, ends),
    )  # fmt: skip


class Sortable(NamedTuple):
    """A table that readers can sort; names of the players `linked` lead to their pages."""

    grid: Grid
    anchor: str = ""
    linked: Collection[str] = ()

    def html(self) -> Markup:
        head = Markup("").join(
            Markup('<th scope="col" class="{}">{}</th>').format(_classes(heading), heading.text)
            for heading in self.grid.headings
        )
        body = Markup("\n").join(
            Markup("<tr>{}</tr>").format(Markup("").join(map(self._cell, self.grid.headings, row)))
            for row in self.grid.rows
        )
        anchor = Markup(' id="{}"').format(self.anchor) if self.anchor else ""
        return Markup(
            '<div class="scroll"><table class="data"{}>\n<thead><tr>{}</tr></thead>\n'
            "<tbody>\n{}\n</tbody></table></div>"
        ).format(anchor, head, body)

    def markdown(self) -> str:
        sides = ["--:" if heading.style.is_figure else ":--" for heading in self.grid.headings if heading.is_text]
        texts = self.grid.texts()
        lines = [list(texts.columns), sides, *(map(escaped, row) for row in texts.itertuples(index=False))]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _cell(self, heading: Heading, cell: Cell) -> Markup:
        value = Markup(' data-sort="{:.12g}"').format(cell.value) if cell.is_number else ""
        drawn = wrapping(cell.text) if cell.drawn is None else cell.drawn
        if heading.style is Style.NAME and cell.drawn is None and cell.text in self.linked:
            drawn = player_link(cell.text)
        return Markup('<td class="{}"{}>{}</td>').format(_classes(heading), value, drawn)


def _classes(heading: Heading) -> str:
    """The classes of a column's cells."""
    return f"{heading.style} wide" if heading.is_wide else heading.style


class Chart(NamedTuple):
    """A chart, and the links to its files."""

    name: str
    caption: str
    drawn: Markup
    """The picture; a page without it shows the links alone."""
    kinds: Sequence[str]
    """The suffixes of its files."""

    def html(self) -> Markup:
        links = [Markup(' <a href="{0}.{1}">{2}</a>').format(self.name, kind, kind.upper()) for kind in self.kinds]
        return Markup('<figure id="chart-{}">{}<figcaption>{}{}</figcaption></figure>').format(
            self.name, self.drawn, wrapping(self.caption), Markup("").join(links)
        )

    def markdown(self) -> str:
        return f"![{self.name}]({self.name}.{self.kinds[0]})\n\n*{escaped(self.caption)}*"


class Row(NamedTuple):
    """A board and what is said of it, side by side where there is room."""

    blocks: Sequence[Block]

    def html(self) -> Markup:
        parts = Markup("\n").join(Markup("<div>{}</div>").format(block.html()) for block in self.blocks)
        return Markup('<div class="board">\n{}\n</div>').format(parts)

    def markdown(self) -> str:
        return together_in_markdown(self.blocks)


class Fold(NamedTuple):
    """Blocks that a reader opens; Markdown shows them under a heading."""

    title: str
    blocks: Sequence[Block]

    def html(self) -> Markup:
        return Markup("<details><summary>{}</summary>\n{}\n</details>").format(
            wrapping(self.title), together(self.blocks)
        )

    def markdown(self) -> str:
        inside = together_in_markdown(self.blocks)
        return f"### {escaped(self.title)}\n\n{inside}" if inside else ""


class Raw(NamedTuple):
    """HTML and Markdown as they are."""

    source: Markup
    text: str = ""

    def html(self) -> Markup:
        return self.source

    def markdown(self) -> str:
        return self.text


def together(blocks: Iterable[Block]) -> Markup:
    """Blocks one after another."""
    return Markup("\n").join(block.html() for block in blocks)


def together_in_markdown(blocks: Iterable[Block]) -> str:
    """Blocks one after another, without those that only a page can show."""
    return "\n\n".join(text for block in blocks if (text := block.markdown()))
