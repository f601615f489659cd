"""What is compiled in full depends on what a change touches."""

import subprocess

import pytest
from changed_topics import EXAMPLES, changed_topics


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two topics on its main branch, and a branch that is checked out."""
    monkeypatch.delenv("GITHUB_BASE_REF", raising=False)

    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    for topic in ("branching", "loops"):
        (tmp_path / EXAMPLES / topic).mkdir(parents=True)
        (tmp_path / EXAMPLES / topic / "jax.py").write_text("1")
    git("add", "--all")
    git("commit", "--message", "Two topics")
    git("checkout", "-b", "change")
    return tmp_path, git


def test_a_topic_counts_from_its_first_edit_on(repository) -> None:
    root, git = repository
    assert changed_topics(root) == set()
    (root / EXAMPLES / "loops" / "jax.py").write_text("2")
    assert changed_topics(root) == {"loops"}
    git("commit", "--all", "--message", "Change loops")
    (root / EXAMPLES / "purity").mkdir()
    (root / EXAMPLES / "purity" / "jax.py").write_text("new")
    assert changed_topics(root) == {"loops", "purity"}


def test_a_merged_pull_request_is_compared_with_its_branch(repository, monkeypatch) -> None:
    root, git = repository
    (root / EXAMPLES / "loops" / "jax.py").write_text("2")
    git("commit", "--all", "--message", "Change loops")
    git("checkout", "--detach", "main")
    git("merge", "--no-ff", "change", "--message", "Merge")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert changed_topics(root) == {"loops"}


def test_without_a_repository_no_topic_counts(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert changed_topics(tmp_path) == set()
