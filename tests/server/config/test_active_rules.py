"""Which rules are on by the settings, and how readily a citation is called missing."""

from __future__ import annotations

from cite_lsp.rules.rule_names import RULES
from cite_lsp.server.config.active_rules import active_rules, missing_level
from cite_lsp.server.config.options import Options, read_options


def test_the_levels_of_missing_citations_are_those_that_were_measured() -> None:
    from cite_lsp.recommend.missing.gaps import DEFAULT_LEVEL, LEVELS

    assert Options().missing.level == DEFAULT_LEVEL
    for name, level in LEVELS.items():
        options, complaints = read_options(("x", {"missing": {"level": name}}))
        assert (missing_level(options.missing), complaints) == (level, ())
    options, complaints = read_options(("x", {"missing": {"level": "reckless"}}))
    assert options == Options() and '"careful", "balanced", "eager"' in complaints[0]


def test_the_figures_of_a_level_can_be_set_one_by_one() -> None:
    from cite_lsp.recommend.missing.gaps import LEVELS

    values = {"level": "eager", "threshold": None, "confidence": 0.7}
    level = missing_level(read_options(("x", {"missing": values}))[0].missing)
    assert (level.threshold, level.confidence) == (LEVELS["eager"].threshold, 0.7)


def test_a_rule_is_on_by_its_own_setting_and_hints_by_theirs() -> None:
    on = active_rules(read_options()[0])
    assert "unknown-key" in on and "missing-citation" not in on
    options, _ = read_options(
        ("x", {"diagnostics": {"unknownKey": False}, "missing": {"hints": "onSave"}})
    )
    assert on ^ active_rules(options) == {"unknown-key", "missing-citation"}


def test_each_rule_has_a_setting() -> None:
    for rule in RULES:
        if rule != "missing-citation":
            name, *words = rule.split("-")
            setting = name + "".join(word.capitalize() for word in words)
            options, complaints = read_options(("x", {"diagnostics": {setting: False}}))
            assert not complaints and rule not in active_rules(options)
