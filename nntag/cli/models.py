"""`nntag models`."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from nntag.cli.flags import Json


def models_command(
    name: Annotated[str | None, typer.Argument(help="Show this model's settings.")] = None,
    recipe: Annotated[str, typer.Option("--recipe", help="Recipe whose values are shown.")] = "default",
    layers: Annotated[int | None, typer.Option("--layers", help="Show the model at this depth.")] = None,
    topology: Annotated[
        int | None, typer.Option("--topology", help="Only with shortcut: draw the topology of this type, 0 to 5.")
    ] = None,
    links: Annotated[
        str | None, typer.Option("--links", help="Only with shortcut: draw links of your own, such as 1-3,2-4.")
    ] = None,
    json: Json = False,
) -> None:
    """List the models, or one model's settings."""
    from nntag.cli.printing import print_json, print_out, print_table
    from nntag.config.recipes import recipes_of
    from nntag.config.registry import MODELS, find_model
    from nntag.config.settings import SECTIONS, resolve_settings
    from nntag.errors import UsageError
    from nntag.tagging.encoders.topologies import draw_links, resolve_links

    if name is None:
        if (recipe, layers, topology, links) != ("default", None, None, None):
            raise UsageError(
                "--recipe, --layers, --topology and --links describe a single model: name one (`nntag models shortcut`)"
            )
        rows = [[row.name, row.task, row.summary, row.citation] for row in MODELS]
        if json:
            print_json([dict(zip(("name", "task", "summary", "citation"), row, strict=True)) for row in rows])
        else:
            print_table(rows, ["model", "task", "what it is", "after"])
        return
    given = {"model.layers": layers, "model.topology": topology, "model.links": links}
    given = {key: value for key, value in given.items() if value is not None}
    row, settings = find_model(name), resolve_settings(name, recipe, given)
    shortcuts = None
    if hasattr(settings.model, "topology"):
        shortcuts = resolve_links(settings.model.topology, settings.model.links, settings.model.layers)
    if json:
        print_json(settings.to_json() | ({} if shortcuts is None else {"shortcuts": shortcuts}))
        return
    print_out(f"{row.name}: {row.summary} ({row.citation})")
    print_out("recipes: " + "; ".join(f"{r.name} ({r.summary})" for r in recipes_of(row.task).values()))
    if decides := recipes_of(row.task)[recipe].decides:
        print_out(f"what {recipe} leaves open is decided here: {decides}")
    for section in SECTIONS:
        config: Any = getattr(settings, section)
        print_out(f"\n[{section}]")
        print_table(
            [
                [field.name, str(getattr(config, field.name)), field.metadata["help"]]
                for field in dataclasses.fields(config)
            ]
        )
    if shortcuts is not None:
        pairs = ", ".join(f"{source}-{target}" for source, target in shortcuts)
        print_out(f"\nshortcuts: {pairs or 'none'} (o where one leaves its layer, ^ where it arrives)")
        print_out(draw_links(shortcuts, settings.model.layers))
