"""Asking models: solve, concepts, embed, judge, against any OpenAI-compatible endpoint.

Everything here ends as rows of the raw layer, keyed by what was asked, so that nothing is paid for
twice. `commands` holds the entry points; the other modules are its parts.
"""
