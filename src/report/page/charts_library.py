"""Writes the charts' script: Vega, Vega-Lite and Vega-Embed in one file, from the vl-convert wheel, without network.

The bundle is wrapped in a function so that its names do not meet those of the page, and a page may hold it inside
<script>: the wheel's bundle holds no "</script", which is checked because a newer one might.
"""

import sys

import vl_convert

bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version="6.4")
for forbidden in ("</script", "<!--"):
    if forbidden in bundle:
        sys.exit(f"charts_library.py: the bundle holds {forbidden!r} and cannot stand in a page")
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write(
        f"/* Vega {vl_convert.get_vega_version()}, Vega-Lite 6.4, "
        f"Vega-Embed {vl_convert.get_vega_embed_version()}; licences in the page's footer */\n"
        "(function () {\n" + bundle + "\n})();\n"
    )
