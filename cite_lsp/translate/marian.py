"""Translation by a Marian model (`Helsinki-NLP/opus-mt-zh-en`) that the user has on disk.

It needs the torch extra. Nothing is fetched and nothing is sent: a name is looked up among the
user's models and in the local cache of the Hugging Face hub.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from cite_lsp import paths
from cite_lsp.installation import how_to_install
from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.translate.translator import Check, TranslatorError

_BATCH = 16
_LONGEST = 256
"""Tokens of a text that are read, and written at most."""
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
"""Weights that can run a program when they are loaded: they are not."""
_NAME = lazy_re(r"\w[\w.-]*(?:/\w[\w.-]*)?")
"""What a model is called, among those of the user or on the hub; everything else is a path."""


def find_marian(name: str) -> Path:
    """Return the folder of a model: one of the user's models, one of the hub's cache, or a path.

    The names come first: a server is mostly started in the workspace, where folders may have any.

    Raises:
        TranslatorError: there is none of that name on this machine.
    """
    folder = paths.expanded(name)
    is_folder = (folder / "config.json").is_file()
    if is_folder and not _NAME.fullmatch(name):
        return folder
    installed = paths.models_folder() / name
    if (installed / "config.json").is_file():
        return installed
    try:
        # Imported where needed: an extra has it, and loading it takes seconds.
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        if is_folder:
            return folder
        raise TranslatorError(_needs_torch(name, error)) from error
    try:
        return Path(snapshot_download(name, local_files_only=True))  # nosec B615  # fetches nothing
    except (LocalEntryNotFoundError, HFValidationError, OSError) as error:
        if is_folder:
            return folder
        raise TranslatorError(
            f"{name}: no such translation model on this machine; name a folder with a Marian model,"
            f" or fetch it with `hf download {name}`"
        ) from error


class MarianTranslator:
    """A Marian model on the CPU, greedy. Safe to share between threads; one translates at a time.

    Raises:
        TranslatorError: the folder holds no such model, or the torch extra is missing.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder.resolve().name
        self.fingerprint = f"marian-{_checksum(folder)[:16]}-{_LONGEST}"
        self._lock = Lock()
        paths.keep_torch_files()
        try:
            import torch
            from transformers import MarianMTModel, MarianTokenizer
        except ImportError as error:
            raise TranslatorError(_needs_torch(folder, error)) from error
        self._torch = torch
        try:
            self._tokenizer = MarianTokenizer.from_pretrained(  # nosec B615  # from a folder
                str(folder), local_files_only=True
            )
            self._model: Any = MarianMTModel.from_pretrained(  # nosec B615  # from a folder
                str(folder), local_files_only=True, use_safetensors=True
            )
            self._model.eval()  # type: ignore[no-untyped-call]
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, TypeError) as error:
            reason = str(error).strip().splitlines()[0]
            raise TranslatorError(
                f"{folder}: cannot be loaded as a Marian model ({reason}); check that the folder is"
                f" a complete checkpoint, or {how_to_install('torch')}"
            ) from error

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        """Return the translation of each text; one without Han characters as it is.

        What `check` raises ends the work; it is called when the turn of a batch has come.
        """
        translated = list(texts)
        chinese = [place for place, text in enumerate(texts) if has_han(text)]
        chinese.sort(key=lambda place: len(texts[place]))  # those of like length share a batch
        for start in range(0, len(chinese), _BATCH):
            places = chinese[start : start + _BATCH]
            for place, english in zip(
                places, self._batch([texts[place] for place in places], check), strict=True
            ):
                translated[place] = english
        return translated

    def _batch(self, texts: list[str], check: Check | None) -> list[str]:
        with self._lock, self._torch.inference_mode():
            if check is not None:
                check()
            read = self._tokenizer(
                texts, return_tensors="pt", padding=True, truncation=True, max_length=_LONGEST
            )
            token_ids = self._model.generate(
                **read, num_beams=1, do_sample=False, max_new_tokens=_LONGEST
            )
            translations: list[str] = self._tokenizer.batch_decode(
                token_ids, skip_special_tokens=True
            )
        return translations


def _needs_torch(model: str | Path, error: ImportError) -> str:
    return f"{model}: a Marian model needs the torch extra ({error}); {how_to_install('torch')}"


def _checksum(folder: Path) -> str:
    """Return the sha256 of the weights of a model.

    Raises:
        TranslatorError: there are none.
    """
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        if pickles := [path for pattern in _PICKLES for path in folder.glob(pattern)]:
            raise TranslatorError(
                f"{pickles[0]}: weights in a pickle are not loaded; convert them by "
                "transformers: MarianMTModel.from_pretrained(folder).save_pretrained(folder)"
            )
        raise TranslatorError(f"{folder}: no weights in this folder; fetch the model again")
    total = hashlib.sha256()
    for path in weights:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()
