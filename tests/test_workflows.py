"""Workflows: actions pinned to commits, and no more permissions than needed."""

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
PINNED = re.compile(r"- uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+")


def jobs():
    """Give file, name of the job and job of all workflows."""
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            yield path, name, job


def test_every_action_is_pinned_to_a_commit_with_its_version():
    lines = [
        (path.name, line.strip())
        for path in WORKFLOWS
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert lines
    assert [line for line in lines if not PINNED.fullmatch(line[1])] == []


def test_an_action_has_one_commit():
    text = "".join(path.read_text() for path in WORKFLOWS)
    pins = dict(re.findall(r"uses: ([\w-]+/[\w-]+)\S*@([0-9a-f]{40})", text))
    for action, commit in re.findall(r"uses: ([\w-]+/[\w-]+)\S*@([0-9a-f]{40})", text):
        assert pins[action] == commit, action


def test_workflows_may_read_and_no_more():
    for path in WORKFLOWS:
        granted = yaml.safe_load(path.read_text())["permissions"]
        assert granted in ({}, {"contents": "read"}), path.name


def test_no_checkout_leaves_a_credential():
    steps = [step for *_, job in jobs() for step in job["steps"]]
    checkouts = [s for s in steps if s.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_targets_that_workflows_make_are_there():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    runs = [step.get("run", "") for *_, job in jobs() for step in job["steps"]]
    made = re.findall(r"\bmake ([\w-]+)", "\n".join(runs))
    assert {"test-plain", "test-slow"} <= set(made)
    assert set(made) <= set(targets)


def test_dependabot_looks_after_actions_and_packages():
    found = yaml.safe_load((FOLDER / "dependabot.yml").read_text())
    assert found["version"] == 2
    kinds = {update["package-ecosystem"] for update in found["updates"]}
    assert kinds == {"github-actions", "pip"}
