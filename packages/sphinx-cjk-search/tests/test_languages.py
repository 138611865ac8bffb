"""Texts become terms."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from sphinx_cjk_search.languages import LANGUAGES, split_name, split_pairs
from sphinx_cjk_search.tables import read_rows, synonyms, typed_for_pages

SITE = Path(__file__).parent / "site"
KOREAN, JAPANESE = LANGUAGES["ko"], LANGUAGES["ja"]


def test_cjk_words_become_pairs_and_names_stay_whole() -> None:
    assert split_pairs("데이터 all_reduce를") == ["데이", "이터", "all_reduce", "를"]
    assert split_pairs("データ並列") == ["デー", "ータ", "タ並", "並列"]


def test_no_pair_crosses_punctuation() -> None:
    assert split_pairs("梯度，进程。锁") == ["梯度", "进程", "锁"]


def test_characters_that_look_alike_are_indexed_alike() -> None:
    decomposed = unicodedata.normalize("NFD", "랭크 データ")

    assert split_pairs("ＧＰＵ ﾗﾝｸ") == ["GPU", "ラン", "ンク"]
    assert split_pairs(decomposed) == split_pairs("랭크 データ")


def test_a_korean_compound_has_the_pair_across_its_space() -> None:
    assert "스그" in KOREAN.split("프로세스 그룹")
    assert {"할수", "수있"} <= {*KOREAN.split("할 수 있다")}
    assert "スグ" not in JAPANESE.split("プロセス グループ")


def test_japanese_endings_do_not_fill_the_index() -> None:
    assert JAPANESE.split("平均します。") == ["平均", "均し"]
    assert JAPANESE.split("まとめ") == ["まと", "とめ"]


def test_a_name_is_found_by_its_parts_in_prose() -> None:
    assert split_name("DistributedSampler") == ["distributed", "sampler"]
    assert split_name("init_process_group") == ["init", "process", "group"]
    assert split_name("torchrun") == []
    assert KOREAN.terms("DataLoader", is_code=True) == ["dataloader"]


def test_the_longest_synonym_comes_first() -> None:
    rows = read_rows(SITE / "synonyms.csv")

    korean, japanese = (dict(synonyms(rows, language)) for language in ("ko", "ja"))

    assert next(iter(korean)) == "기울기(slope)"
    assert korean["그래디언트"] == ["변화도", "gradient"]
    assert korean["gradient"] == ["변화도", "gradient"]
    assert korean["lock"] == ["락", "lock"]
    assert "lock" not in japanese
    assert dict(synonyms(rows, "en"))["slope"] == ["gradient"]


def test_a_csv_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("\ufeffpage;en;ko\na;who am  I/rank\n;;\n", encoding="utf-8")

    rows = read_rows(path)

    assert typed_for_pages(rows, "en") == {"a": "who am I\nrank"}
    assert typed_for_pages(rows, "ko") == typed_for_pages(rows, "vi") == {"a": ""}
