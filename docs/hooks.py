"""Hooks of mkdocs: the documents where they lie in the repository, in the order of README's last list."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from posixpath import dirname, join, normpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
KEPT, PLAYED = "reports/showcase/quickstart/summary.md", "reports/quickstart/report.html"
"""The sample report as Markdown, which is committed, and as a page, if quickstart has been played."""
CODE = re.compile(r"\]\((?!\w+:)([\w./-]+\.(?:c|cff|java|js|py|rs|ya?ml))\)")
"""A link to a file of code."""


def on_config(config: MkDocsConfig) -> None:
    """List the pages as README does: a line for each section, with its title in bold before its links."""
    sections = re.findall(r"^- \*\*(.+?)\*\*(.*)$", (ROOT / "README.md").read_text(), flags=re.M)
    config.nav = [{"Home": "README.md"}]
    for title, text in sections:
        links = re.findall(r"\[(.+?)\]\((.+?\.md)\)", text)
        config.nav.append({title: [{name[0].upper() + name[1:]: target} for name, target in links]})


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the theme's files, all documents and pictures, and a page for each file of code that one links to."""
    command = ["git", "ls-files", "*.md", "*.png", "*.svg", "*.ipynb"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    documents = [name for name in listed if not name.startswith("tests/data")]
    if (ROOT / PLAYED).exists():
        documents.append(PLAYED)
    shown = Files([file for file in files if file.src_dir != config.docs_dir])
    linked = set()
    for name in documents:
        shown.append(File(name, str(ROOT), config.site_dir, config.use_directory_urls))
        if name.endswith(".md"):
            linked |= {normpath(join(dirname(name), target)) for target in CODE.findall((ROOT / name).read_text())}
    for name in sorted(name for name in linked if (ROOT / name).exists()):
        block = f"~~~~{name.rpartition('.')[2]}\n{(ROOT / name).read_text()}\n~~~~\n"
        text = f"---\nsearch: {{exclude: true}}\n---\n# {name}\n\n{block}"
        shown.append(File.generated(config, f"{name}.md", content=text))
    return shown


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Lead to the pages of files of code, and to the sample report itself where it was made."""
    if files.get_file_from_path(PLAYED) and not page.file.src_uri.startswith("reports/"):
        markdown = markdown.replace(KEPT, PLAYED)
    return CODE.sub(r"](\1.md)", markdown)
