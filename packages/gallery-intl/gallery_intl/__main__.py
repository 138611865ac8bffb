"""What translators need, in any project: ``python -m gallery_intl --help``."""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from sphinx.errors import ConfigError, SphinxError
from sphinx_gallery.utils import get_md5sum  # type: ignore[import-untyped]

from gallery_intl.catalogs import merge, po, review
from gallery_intl.catalogs import progress as counting
from gallery_intl.catalogs import todo as listing
from gallery_intl.catalogs.labels import keep_labels
from gallery_intl.catalogs.own import folders_in, path_of
from gallery_intl.interface.words import fill_from_ours, fill_from_sphinx
from gallery_intl.project import Project
from gallery_intl.writer.places import with_origins
from gallery_intl.writer.tree import write_language

NONE = argparse.SUPPRESS
NOT_RUN = "plot_gallery=0"
WARN = "sphinx_gallery_conf.only_warn_on_example_error=1"  # of a script that fails

Command = Callable[[argparse.Namespace], None]


def read_project(options: argparse.Namespace) -> tuple[Path, list[str]]:
    """Read where catalogs are, and the languages, that of the pages first."""
    project = Project.read(options.source, options.conf)
    if not project.languages:
        raise ConfigError(
            "conf.py: no gallery_intl_languages (write the languages and their names:"
            ' {"en": "English", "ko": "한국어"})'
        )
    if not project.config.locale_dirs:
        raise ConfigError("conf.py: locale_dirs is empty (write ['locales'])")
    folder = options.source / project.config.locale_dirs[0]
    return folder, list(project.languages)


def read_folders(options: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """Read where all catalogs are that are translated here, and the languages."""
    locale_dir, languages = read_project(options)
    return [locale_dir, *folders_in(options.source)], languages


def merged(
    templates: Path, locale_dir: Path, languages: list[str], own: Sequence[Path] = ()
) -> Iterator[Path]:
    """Bring the catalogs up to the templates; yield those that changed."""
    apart = set_apart(templates, locale_dir, languages, own)
    for folder in own:  # our words are English, whatever pages are written in
        yield from merge.update(apart, folder, languages)
    changed = [*merge.update(templates, locale_dir, languages, languages[0])]
    yield from changed
    fill = {
        po.INTERFACE: (fill_from_ours, fill_from_sphinx),
        po.DOMAIN: (fill_from_ours,),
    }
    for language in languages:
        for name, functions in fill.items():
            path = po.po_path(locale_dir, language, name)
            filled = [each(path, language) for each in functions if path.is_file()]
            if any(filled) and path not in changed:
                yield path


def set_apart(
    templates: Path, locale_dir: Path, languages: list[str], own: Sequence[Path]
) -> Path:
    """Take our own words off a project's templates if it need not translate them.

    It does so for a language that we lack, and may have other words than ours.
    """
    name, apart = f"{po.DOMAIN}.pot", templates.with_name("own")
    apart.mkdir(exist_ok=True)
    paths = {x: po.po_path(locale_dir, x, po.DOMAIN) for x in languages}
    lacks = any(not path_of(x).is_file() for x in languages if x != po.SOURCE_LANGUAGE)
    has_own = any(path.is_file() for path in paths.values())
    if (templates / name).is_file() and (own or not (lacks or has_own)):
        (templates / name).replace(apart / name)
    return apart


def begin(locale_dir: Path) -> None:
    """Make the folder of a project's first catalogs; what is compiled is nobody's."""
    if not locale_dir.is_dir():
        locale_dir.mkdir(parents=True)
        (locale_dir / ".gitignore").write_text("*.mo\n", encoding="utf-8")


def run_sphinx(*arguments: str | Path, shown: Callable[[str], str] = str) -> None:
    """Run sphinx-build, and show its warnings; stop if it fails."""
    command = [sys.executable, "-m", "sphinx", "-q", *map(str, arguments)]
    result = subprocess.run(
        command, stderr=subprocess.PIPE, encoding="utf-8", check=False
    )
    print(shown(result.stderr), end="", file=sys.stderr)
    if result.returncode:
        raise SphinxError("sphinx-build failed; nothing of this command is changed")


def generate(options: argparse.Namespace, *settings: str) -> Project:
    """Let Sphinx-Gallery generate its pages, which runs scripts that changed."""
    project = Project.read(options.source, options.conf)
    # the archive of all pages is made later, in the sources of a language
    known = [*project.config.suppress_warnings, "download.not_readable"]
    settings = (f"suppress_warnings={','.join(known)}", *settings)
    given = [word for setting in settings for word in ("-D", setting)]
    with tempfile.TemporaryDirectory() as folder:
        conf = ["-c", options.conf, *given, *options.sphinx]
        run_sphinx("-b", "dummy", *conf, options.source, folder)
    return project


def build(options: argparse.Namespace) -> None:
    """Run the gallery, then write and build each language, or only those named."""
    project, out = generate(options), options.source / "_build"
    for language in options.language or project.languages:
        known(language, list(project.languages))
        source = out / "source" / language
        for warning in write_language(project, language, source, leave_out=[out]):
            print(warning, file=sys.stderr)
        with_places = partial(
            with_origins, project=project, target=source, language=language
        )
        html = out / "html" / language
        run_sphinx("-b", "html", *options.sphinx, source, html, shown=with_places)


def catalogs(options: argparse.Namespace) -> None:
    """Bring the catalogs of all languages up to the pages, running no script."""
    source, (locale_dir, languages) = options.source, read_project(options)
    about = "running scripts that changed" if options.run else "running no script"
    print(f"updating catalogs of {', '.join(languages)}, {about}", file=sys.stderr)
    project = generate(options, WARN if options.run else NOT_RUN)
    # inside the project, so that places in catalogs are relative to it
    with tempfile.TemporaryDirectory(prefix=".gettext-", dir=source) as folder:
        templates, written = Path(folder, "templates"), Path(folder, "written")
        language, leave_out = project.source_language, [source / "_build"]
        write_language(project, language, written, None, leave_out, collect=True)
        run_sphinx("-b", "gettext", *options.sphinx, written, templates)
        keep_words(project, templates, locale_dir)
        begin(locale_dir)
        own = folders_in(source)
        for path in merged(templates, locale_dir, languages, own):
            print(path.relative_to(source))


def keep_words(project: Project, templates: Path, locale_dir: Path) -> None:
    """Keep the words of figures that are in the catalogs of pages that did not run."""
    for page in project.scripts():
        template, script = templates / f"{page}.pot", project.srcdir / f"{page}.py"
        known = po.po_path(locale_dir, project.source_language, page)
        md5 = script.with_suffix(".py.md5")
        has_run = md5.is_file() and md5.read_text() == get_md5sum(script, mode="t")
        if not has_run and template.is_file() and known.is_file():
            messages = po.read(template)
            keep_labels(messages, po.read(known))
            po.write(template, messages)


def progress(options: argparse.Namespace) -> None:
    """Show how much of each page each language has."""
    folders, languages = read_folders(options)
    rows = counting.Table()
    for folder in folders:
        rows |= counting.table(folder, languages, languages[0])
    if options.json:
        print(counting.as_json(rows))
    else:
        print("\n".join(counting.as_text(rows, languages)))


def known(language: str, languages: list[str]) -> str:
    """Return a language; raise ConfigError if the project has none of that name."""
    if language not in languages:
        has = f"conf.py has {', '.join(languages)}"
        raise ConfigError(f"no language {language!r} ({has})")
    return language


def todo(options: argparse.Namespace) -> None:
    """List what is untranslated or fuzzy, as file:line."""
    folders, languages = read_folders(options)
    for language in options.language or languages[1:]:
        known(language, languages)
        items = [
            item
            for folder in folders
            for item in listing.todo(folder, language, languages[0])
        ]
        for item in items:
            print(item._replace(path=Path(os.path.relpath(item.path))))
        words = sum(item.words for item in items)
        print(f"{language}: {len(items)} messages left, {words} words", file=sys.stderr)


def reviewed(options: argparse.Namespace) -> None:
    """Note in a page's catalog that somebody has reviewed what it says now."""
    folders, languages = read_folders(options)
    language, page = known(options.language, languages), options.page
    paths = (po.po_path(folder, language, page) for folder in folders)
    path = next(filter(Path.is_file, paths), None)
    if path is None:
        lacks = f"no catalog of {page!r} in {language}"
        raise ConfigError(f"{lacks} (progress lists the pages)")
    line = review.sign(path, options.by, datetime.date.today().isoformat())
    print(f"{os.path.relpath(path)}: {line}")


def command_line(
    prog: str, about: str | None, functions: Sequence[Command]
) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return a command line with a command for each function, and these by name."""
    top = argparse.ArgumentParser(prog=f"python -m {prog}", description=about)
    top.set_defaults(source=Path(), conf=None)
    commands = top.add_subparsers(required=True, metavar="command")
    added = {}
    for function in functions:
        name = function.__name__.removesuffix("_")
        command = added[name] = commands.add_parser(name, help=function.__doc__)
        command.set_defaults(function=function)
        if function in (build, todo):
            command.add_argument("language", nargs="*", help="default: all")
        if function in (build, catalogs):
            command.epilog = (
                "After -- come options of sphinx-build: -- -D plot_gallery=0"
            )
        if function is catalogs:
            command.add_argument("--run", action="store_true", help="run the scripts")
        if function is reviewed:
            command.add_argument("language", help="such as ko")
            command.add_argument("page", help="as progress names it")
            command.add_argument("--by", required=True, help="the reviewer's name")
        if function is progress:
            command.add_argument("--json", action="store_true", help="for programs")
    for each in (top, *added.values()):  # before the command's name or after it
        each.add_argument("--source", type=Path, default=NONE, help="folder of conf.py")
    return top, added


def run(
    parser: argparse.ArgumentParser,
    *errors: type[Exception],
    explain: Callable[[Exception], str] = str,
) -> int:
    """Run the command that was asked for; return its exit status."""
    known: tuple[type[Exception], ...] = (po.CatalogError, SphinxError, OSError)
    own, passed = sys.argv[1:], list[str]()
    if "--" in own:
        at = own.index("--")
        own, passed = own[:at], own[at + 1 :]
    options = parser.parse_args(own)
    options.sphinx = passed
    options.source = options.source.resolve()
    options.conf = (options.conf or options.source).resolve()
    try:
        options.function(options)
    except (*known, *errors) as error:
        category = getattr(error, "category", "Error")
        print(f"{category}: {explain(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    return 0


def main() -> int:
    made = [build, catalogs, todo, progress, reviewed]
    parser, commands = command_line("gallery_intl", __doc__, made)
    about = "folder of conf.py, if it is another than --source"
    for each in (parser, *commands.values()):
        each.add_argument(
            "-c", dest="conf", type=Path, metavar="CONF", default=NONE, help=about
        )
    return run(parser)


if __name__ == "__main__":
    sys.exit(main())
