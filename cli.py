"""The command line: parse, call, print, exit code. What it can do is in `ingest` and in dbt."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from enum import IntEnum
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import duckdb
import typer
from typer.exceptions import TyperException

from ingest.console import builds, demo, doctor, export, loads, queries, tables
from ingest.console.progress import Progress
from ingest.errors import MathmartError, UsageError, is_interrupt
from ingest.models.limits import (
    DEFAULT_ATTEMPTS,
    DEFAULT_CONCURRENCY,
    DEFAULT_TIMEOUT_SECONDS,
    Limits,
)
from ingest.models.prices import PRICE_TABLE
from ingest.warehouse import open_warehouse

DEFAULT_DATABASE = "mathmart.duckdb"


class ExitCode(IntEnum):
    """What a script may rely on. `MathmartError.exit_code` carries the same numbers."""

    OK = 0
    DATA = 1  # data or SQL failure
    USAGE = 2
    DATABASE = 3  # locked, missing, foreign or damaged database
    INTERRUPT = 130


app = typer.Typer(
    name="mathmart",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "A warehouse for maths-reasoning evaluation: load problems and model outputs, "
        "judge the answers, and measure them in one DuckDB file.\n\n"
        "\b\n"
        "mathmart demo                               the whole job on bundled files\n"
        "mathmart load outputs runs/*.jsonl          load your own\n"
        "mathmart build                              judge, measure, test\n"
        "mathmart show leaderboard                   read the results\n\n"
        "Data goes to stdout, progress and errors to stderr. Exit codes: 0 ok, "
        "1 data or SQL failure, 2 usage, 3 locked or missing database, 130 interrupt."
    ),
)

Json = Annotated[bool, typer.Option("--json", help="One JSON array of objects.")]
Csv = Annotated[bool, typer.Option("--csv", help="CSV with a header; NULL is an empty field.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mathmart {metadata.version('mathmart')}")
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    db: Annotated[
        Path,
        typer.Option(
            "--db", envvar="MATHMART_DB", metavar="PATH", help="The warehouse file.", dir_okay=False
        ),
    ] = Path(DEFAULT_DATABASE),
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_version, help="Show the version."),
    ] = False,
) -> None:
    context.obj = Path(os.path.abspath(db))


# ---------- loading and building


@app.command("load")
def load_command(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[KIND] PATH...",
            help="problems, outputs, concepts or embeddings, where it is not to be told from the files.",
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(help="Name of the problem set; else the file's word, else its name."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model that answered; else the file's word.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Prompt it was asked with; else the file's word.")
    ] = None,
    file_format: Annotated[
        str | None, typer.Option("--format", help="Read as this format; see mathmart formats.")
    ] = None,
) -> None:
    """Load problems, outputs, concepts or embeddings.

    Paths are files, folders or globs. Kind and format are recognised. Loading a file again changes
    nothing. Records that cannot be loaded are kept with file, line and reason (mathmart show
    rejects). Exit code 1 where a whole file could not be loaded.

    \b
    mathmart load logs/ results.eval
    mathmart load problems problems.jsonl --dataset my_set
    mathmart load outputs runs/*.jsonl --dataset my_set --model my-model
    """
    kind, paths = loads.split_kind(words)
    if not paths:
        raise UsageError("say what to load: mathmart load PATH...")
    with Progress() as progress:
        reports = loads.run(
            context.obj,
            kind,
            paths,
            progress.update,
            dataset=dataset,
            model=model,
            prompt=prompt,
            format=file_format,
        )
    sys.stdout.write(loads.told(reports))
    if failed := loads.failure(reports):
        raise failed


@app.command("formats")
def formats_command(as_json: Json = False, as_csv: Csv = False) -> None:
    """List the file formats that are read, by example.

    \b
    mathmart formats
    mathmart formats --json
    """
    columns, rows = loads.formats()
    _write(columns, rows, _style(as_json, as_csv), tables.WHOLE_CELL)


@app.command("demo")
def demo_command(context: typer.Context) -> None:
    """Do the whole main job on the bundled demo files.

    Loads the files, which are made up, builds, and shows the leaderboard, the steps, the at-k
    curve, MSU and tiers. A database that holds anything else is left alone.

    \b
    mathmart demo
    mathmart --db /tmp/demo.duckdb demo
    """
    with Progress() as progress:
        reports = demo.load(context.obj, progress.update)
    print(loads.told(reports))
    _build(context.obj)
    for name in demo.SHOWN:
        print(f"\n{queries.title(name)}\n")
        _show(context.obj, name, tables.Style.TABLE)
    print(f"\n{demo.WHAT_NEXT}")


@app.command()
def build(
    context: typer.Context,
    select: Annotated[
        str | None,
        typer.Option(metavar="MODELS", help="Only these models, in dbt's words: +leaderboard"),
    ] = None,
    full_refresh: Annotated[
        bool, typer.Option("--full-refresh", help="Judge everything anew, not only what is new.")
    ] = False,
    unit_tests: Annotated[
        bool, typer.Option("--unit-tests", help="After you changed a model: test its SQL, too.")
    ] = False,
) -> None:
    """Judge what is new, compute every metric, test every table.

    One dbt build, the same as `dbt build` by hand in dbt_project/ with MATHMART_DB set, save for
    the unit tests: they check the models on rows of their own, whatever your data.

    \b
    mathmart build
    mathmart build --select +leaderboard
    mathmart build --select metric_major_at_k+ --unit-tests
    """
    arguments = ["--select", *select.split()] if select else []
    if full_refresh:
        arguments.append("--full-refresh")
    _build(context.obj, arguments, unit_tests)


def _build(database: Path, arguments: Sequence[str] = (), unit_tests: bool = False) -> None:
    if not unit_tests:
        arguments = [*arguments, "--exclude-resource-type", "unit_test"]
    open_warehouse(database).close()  # says what is wrong with the file before dbt does
    with Progress() as progress:
        outcome = builds.run_dbt("build", database, arguments, progress.update)
    if not outcome.ok:
        raise MathmartError(
            f"{outcome.report()}\n\nThe full log is in {builds.log_folder(database)}/dbt.log"
        )
    if not outcome.counts:  # dbt calls that a success
        raise UsageError(
            "Nothing was built: --select names no model, seed or test. `mathmart docs` lists them all; "
            "+leaderboard is a model with all it is made from."
        )
    print(outcome.summary(), file=sys.stderr)


# ---------- asking models

Model = Annotated[str, typer.Option("--model", help="As the endpoint names it.")]
OnlyDataset = Annotated[str | None, typer.Option("--dataset", help="Only this problem set.")]
OnlyRun = Annotated[str | None, typer.Option("--run", metavar="RUN_ID", help="Only this run.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Of one reply; else the server's.")]
Concurrency = Annotated[int, typer.Option(min=1, help="Requests in flight.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds one request may take.")]
Attempts = Annotated[int, typer.Option(min=1, help="Per request, before it counts as failed.")]
MaxCost = Annotated[float | None, typer.Option(min=0, help="Stop before this many US dollars.")]
MaxRequests = Annotated[int | None, typer.Option(min=0, help="Stop after this many requests.")]
Prices = Annotated[
    Path, typer.Option(metavar="CSV", show_default="the bundled one", help="Table of prices.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say how many requests at what cost.")]


@app.command()
def solve(
    context: typer.Context,
    dataset: Annotated[str, typer.Option(help="The problem set to pose.")],
    model: Model,
    prompt: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="zeroshot, fewshot, zeroshot_cot or a file.")
    ] = "zeroshot",
    rollouts: Annotated[int, typer.Option("-n", "--rollouts", min=1, help="Per problem.")] = 1,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Of sampling; else the server's.")
    ] = None,
    top_p: Annotated[
        float | None, typer.Option(min=0, max=1, help="Of sampling; else the server's.")
    ] = None,
    max_tokens: MaxTokens = None,
    seed: Annotated[
        int | None, typer.Option(help="Of rollout 1; rollout n has n - 1 more.")
    ] = None,
    examples_from: Annotated[
        str | None,
        typer.Option(metavar="DATASET", help="Whence fewshot takes its example; never DATASET."),
    ] = None,
    batch: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write requests for the Batch API instead.")
    ] = None,
    dry_run: DryRun = False,
    concurrency: Concurrency = DEFAULT_CONCURRENCY,
    timeout: Timeout = DEFAULT_TIMEOUT_SECONDS,
    attempts: Attempts = DEFAULT_ATTEMPTS,
    max_cost: MaxCost = None,
    max_requests: MaxRequests = None,
    prices: Prices = PRICE_TABLE,
) -> None:
    """Pose problems to a model.

    Any OpenAI-compatible endpoint will do: OPENAI_BASE_URL names the endpoint, OPENAI_API_KEY the
    key, which is written nowhere. Answers are kept as they come: the same command again asks only
    for what is missing or failed.

    \b
    mathmart solve --dataset gsm8k --model gpt-4.1-mini --prompt zeroshot_cot -n 4 --dry-run
    mathmart solve --dataset gsm8k --model gpt-4.1-mini --prompt zeroshot_cot -n 4 --max-cost 2
    mathmart solve --dataset gsm8k --model gpt-4.1-mini --batch requests.jsonl
    """
    limits = Limits(concurrency, timeout, attempts, max_cost, max_requests, prices)
    _ask(
        context,
        "solve",
        dataset=dataset,
        model=model,
        prompt=prompt,
        rollouts=rollouts,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        examples_from=examples_from,
        batch_file=batch,
        dry_run=dry_run,
        limits=limits,
    )


@app.command()
def concepts(
    context: typer.Context,
    extractor: Annotated[
        str, typer.Option(metavar="glossary|MODEL", help="The bundled glossary, or a model.")
    ] = "glossary",
    dataset: OnlyDataset = None,
    run_id: OnlyRun = None,
    prompt: Annotated[str, typer.Option(metavar="NAME|PATH", help="For a model.")] = "concepts",
    max_tokens: MaxTokens = None,
    dry_run: DryRun = False,
    concurrency: Concurrency = DEFAULT_CONCURRENCY,
    timeout: Timeout = DEFAULT_TIMEOUT_SECONDS,
    attempts: Attempts = DEFAULT_ATTEMPTS,
    max_cost: MaxCost = None,
    max_requests: MaxRequests = None,
    prices: Prices = PRICE_TABLE,
) -> None:
    """Extract the concepts of solutions, for MSU.

    Those of the human solutions and of the generated ones. The glossary works offline, in English
    and Chinese. Lists made elsewhere come in with mathmart load concepts.

    \b
    mathmart concepts
    mathmart concepts --extractor gpt-4.1-mini --dataset gsm8k
    """
    limits = Limits(concurrency, timeout, attempts, max_cost, max_requests, prices)
    _ask(
        context,
        "concepts",
        extractor=extractor,
        dataset=dataset,
        run_id=run_id,
        prompt=prompt,
        max_tokens=max_tokens,
        dry_run=dry_run,
        limits=limits,
    )


@app.command()
def embed(
    context: typer.Context,
    embedder: Annotated[
        str,
        typer.Option(
            metavar="wordllama|use|MODEL",
            help="Offline: wordllama, or use (for Chinese, an extra); else the endpoint's model.",
        ),
    ] = "wordllama",
    extractor: Annotated[
        str | None, typer.Option(help="Only concepts whose extractor's id starts so.")
    ] = None,
    dry_run: DryRun = False,
    concurrency: Concurrency = DEFAULT_CONCURRENCY,
    timeout: Timeout = DEFAULT_TIMEOUT_SECONDS,
    attempts: Attempts = DEFAULT_ATTEMPTS,
    max_cost: MaxCost = None,
    max_requests: MaxRequests = None,
    prices: Prices = PRICE_TABLE,
) -> None:
    """Embed concepts, each text once per embedder.

    wordllama comes with mathmart: code and weights under the MIT licence, the weights made from
    Llama 2's, whose community licence applies to them. use is Apache-2.0 throughout.

    \b
    mathmart embed
    mathmart embed --embedder text-embedding-3-small
    """
    limits = Limits(concurrency, timeout, attempts, max_cost, max_requests, prices)
    _ask(context, "embed", embedder=embedder, extractor=extractor, dry_run=dry_run, limits=limits)


@app.command()
def judge(
    context: typer.Context,
    model: Model,
    dataset: OnlyDataset = None,
    run_id: OnlyRun = None,
    prompt: Annotated[str, typer.Option(metavar="NAME|PATH", help="What it is asked.")] = "judge",
    max_tokens: MaxTokens = None,
    dry_run: DryRun = False,
    concurrency: Concurrency = DEFAULT_CONCURRENCY,
    timeout: Timeout = DEFAULT_TIMEOUT_SECONDS,
    attempts: Attempts = DEFAULT_ATTEMPTS,
    max_cost: MaxCost = None,
    max_requests: MaxRequests = None,
    prices: Prices = PRICE_TABLE,
) -> None:
    """Ask a model whether responses are right.

    Its word stands beside the rule-based verdict, never instead of it.

    \b
    mathmart judge --model gpt-4.1-mini --dataset gsm8k
    """
    limits = Limits(concurrency, timeout, attempts, max_cost, max_requests, prices)
    _ask(
        context,
        "judge",
        model=model,
        dataset=dataset,
        run_id=run_id,
        prompt=prompt,
        max_tokens=max_tokens,
        dry_run=dry_run,
        limits=limits,
    )


def _ask(context: typer.Context, what: str, **options: Any) -> None:
    """Run one of `ingest.models.commands`; what it came to goes to stdout."""
    from ingest.models import commands  # here, as its HTTP client takes a second to import

    run = getattr(commands, f"run_{what}")
    with Progress() as progress:
        outcome = run(context.obj, on_progress=lambda at: progress.update(at.line()), **options)
    print("\n".join(outcome.lines))


# ---------- reading


@app.command()
def show(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="|".join(queries.shown()), help="What to show.")],
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show a result.

    Each is a query of its own; `mathmart sql` answers everything else.

    \b
    mathmart show leaderboard
    mathmart show at-k --csv > at_k.csv
    mathmart show metrics --json
    """
    if what not in queries.shown():
        raise UsageError(f"there is no {what!r} to show; there are {', '.join(queries.shown())}")
    _show(context.obj, what, _style(as_json, as_csv))


@app.command()
def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="One query; - reads it from stdin.")],
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Run one read-only query, the judge's functions at hand.

    extract_answer(response), normalise_answer(answer), equivalent(gold, answer) and
    embedding_similarity(text, text) can be called in it; files can be read (from 'mine.csv'),
    nothing can be written.

    \b
    mathmart sql "select run_id, outcome, count(*) from marts.responses group by all order by all"
    mathmart sql "select equivalent('1/2', '0.5')"
    mathmart sql - --csv < query.sql > rows.csv
    """
    from udfs import registry  # here, as it costs every other command half a second

    style = _style(as_json, as_csv)
    text = sys.stdin.read() if query == "-" else query
    with open_warehouse(context.obj, read_only=True) as connection:
        registry.register(connection)
        queries.restrict(connection)
        try:
            queries.check_query(connection, text)
        except queries.NotAQuery as error:
            raise UsageError(str(error)) from error
        try:
            columns, rows = queries.run(connection, text)
        except duckdb.CatalogException as error:
            if queries.is_built(connection):
                raise
            raise MathmartError(
                f"{error}\n\n{context.obj} was never built, so it has no marts yet. "
                "Run mathmart build."
            ) from error
        if columns == queries.PLAN_COLUMNS and style is tables.Style.TABLE:
            print("\n".join(plan for _, plan in rows))  # a plan is a drawing, not a cell
        else:
            _write(columns, rows, style)


@app.command("export")
def export_command(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Made where it is missing.", file_okay=False)
    ],
    file_format: Annotated[
        export.Format, typer.Option("--format", help="duckdb is one file for BI tools.")
    ] = export.Format.PARQUET,
) -> None:
    """Copy the marts to Parquet, CSV or a DuckDB file.

    The DuckDB file opens in clients from 1.2 on. Files are swapped in whole, so that a dashboard
    may stay open on the old ones.

    \b
    mathmart export exports/
    mathmart export /srv/bi --format duckdb
    """
    open_warehouse(context.obj, read_only=True).close()
    with Progress() as progress:
        exported = export.export_marts(context.obj, folder, file_format, progress.update)
    rows = [(table.table, table.rows, str(table.path)) for table in exported]
    sys.stdout.write(tables.aligned(["table", "rows", "file"], rows))


@app.command()
def docs(context: typer.Context) -> None:
    """Write the documentation as one static page.

    Every model, column, metric and test, and the way from each number to its inputs.

    \b
    mathmart docs
    """
    open_warehouse(context.obj, read_only=True).close()
    with Progress() as progress:
        page = builds.write_docs(context.obj, progress.update)
    print(page)


@app.command("doctor")
def doctor_command(context: typer.Context, as_json: Json = False, as_csv: Csv = False) -> None:
    """Say how things stand, and what is missing.

    Versions, the database file, its storage version and locks, the rows of each table. Exit code 3
    where the database cannot be used, else 0.

    \b
    mathmart doctor
    """
    found = doctor.examine(context.obj)
    style = _style(as_json, as_csv)
    _write(["check", "state", "what_next"], found.rows, style, tables.WHOLE_CELL)
    if not found.usable:
        raise typer.Exit(ExitCode.DATABASE)


# ---------- what the commands share


def _style(as_json: bool, as_csv: bool) -> tables.Style:
    if as_json and as_csv:
        raise UsageError("--json or --csv, not both")
    return tables.Style.JSON if as_json else tables.Style.CSV if as_csv else tables.Style.TABLE


def _show(database: Path, name: str, style: tables.Style) -> None:
    with open_warehouse(database, read_only=True) as connection:
        try:
            columns, rows = queries.run(connection, queries.show_sql(name))
        except duckdb.CatalogException as error:
            raise MathmartError(
                f"{database}: nothing to show yet, as it was never built. Run mathmart build."
            ) from error
        _write(columns, rows, style)


def _write(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    style: tables.Style,
    cell_width: int = tables.CELL_WIDTH,
) -> None:
    if left_out := tables.write(columns, rows, style, sys.stdout, cell_width):
        print(f"… and {left_out} more rows; --csv and --json give them all", file=sys.stderr)


def main() -> None:
    """The entry point: every failure becomes a message on stderr and an exit code, never a
    traceback.
    """
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.exit(run())


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    try:
        code = app(args=arguments, prog_name="mathmart", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else ExitCode.OK
    except TyperException as error:
        error.show()  # type: ignore[attr-defined]
        return ExitCode.USAGE
    except (typer.Abort, KeyboardInterrupt):
        return _interrupted()
    except RuntimeError as error:
        if not is_interrupt(error):
            raise
        return _interrupted()
    # The reader has seen enough (`| head`); Typer turns what is written after that into an exit.
    except (BrokenPipeError, SystemExit):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except MathmartError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except (duckdb.Error, OSError) as error:
        print(error, file=sys.stderr)
        return ExitCode.DATA


def _interrupted() -> int:
    print("interrupted; what was finished is kept", file=sys.stderr)
    return ExitCode.INTERRUPT


if __name__ == "__main__":
    main()
