"""Files that are written whole or not at all: a draft beside them, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headgate.base.errors import StoreError, explain_os
from headgate.base.process import here


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file whole or not at all; a durable one outlives a power cut. Raises StoreError."""
    write_file(path, lambda draft: draft.write_bytes(data), durable=durable)


def write_file(path: Path, write: Callable[[Path], object], *, durable: bool = True) -> None:
    """Have `write` make a draft, and put it in the file's place. Raises StoreError."""
    try:
        with _folders_of(path):
            replace_file(path, write, durable=durable)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


@contextmanager
def _folders_of(path: Path) -> Iterator[None]:
    """Make the folders of a file; remove those that were made if the file cannot be written."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def make_folder(folder: Path) -> None:
    """Make a folder, so that it is there before long work begins. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk before anything else happens."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def name_draft(path: Path) -> Path:
    """Name the draft of a file, of this process alone."""
    return path.with_name(f".{path.name}@{here()}")


def replace_file(path: Path, write: Callable[[Path], object], *, durable: bool) -> None:
    """Have `write` make a draft, and put it in the file's place. Raises OSError."""
    draft = name_draft(path)
    try:
        write(draft)
        if durable:
            flush(draft)
        draft.replace(path)
        if durable:
            flush(path.parent)
    finally:
        draft.unlink(missing_ok=True)
