"""Packs a NuGet package as the SDK does: `nupkg.py NUSPEC FOLDER PACKAGE`, with the files of the folder."""

import sys
import zipfile
from pathlib import Path

TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
{}</Types>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/{}" Id="R1" />
</Relationships>
"""


def main() -> None:
    nuspec, folder, package = map(Path, sys.argv[1:])
    files = sorted(it for it in folder.rglob("*") if it.is_file())
    kinds = sorted({it.suffix[1:] for it in files})
    rows = "".join(f'  <Default Extension="{it}" ContentType="application/octet" />\n' for it in kinds)
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as to:

        def add(name: str, data: bytes) -> None:
            # Always the same bytes for the same files.
            to.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)

        add("[Content_Types].xml", TYPES.format(rows).encode())
        add("_rels/.rels", RELATIONS.format(nuspec.name).encode())
        add(nuspec.name, nuspec.read_bytes())
        for it in files:
            add(it.relative_to(folder).as_posix(), it.read_bytes())


main()
