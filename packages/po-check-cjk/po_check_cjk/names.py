"""Rules about names: they stay as they are in English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher

from docutils import nodes

from po_check_cjk.message import CODE, Message, rule

# PyTorch, NCCL, macOS: capitals inside a word are a name's, wherever it is.
CAPITALS = r"[A-Za-z]*[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[a-z]+[A-Z][A-Za-z0-9]*"
# One capital is a name's only where no sentence begins.
INSIDE = rf"(?<=[a-z,;{CODE}] )[A-Z][a-z]+(?![\w-])"
# A name that is known may begin a sentence.
KNOWN = "Python|Torch|Linux|Windows|Mac|Intel|Gloo|Slurm|Colab|Slack|Jupyter|Sphinx"
NAME = re.compile(
    rf"(?<![\w./-])(?:(?:{CAPITALS}|(?:{KNOWN}))(?:-?\d[\d.]*\b)?(?![\w-])|{INSIDE})",
    re.ASCII,
)
# Languages, months and so on have names of their own; some abbreviations are words.
NO_NAMES = (
    "English Korean Chinese Japanese German French Spanish Russian Western Latin"
    " January February March April May June July August September October"
    " November December Monday Tuesday Wednesday Thursday Friday Saturday"
    " Sunday ID IDs PC PCs OS AI OK URL URLs FAQ OOM RAM US UK USA TODO"
)
# How a name sounds, in Korean and Japanese, or what Chinese calls it.
IN_LETTERS = {
    "PyTorch": "파이토치|파이토취|파이 토치|パイトーチ|派托奇|派火炬|火炬",
    "Torch": "(?<!파이)(?<!파이 )토치|(?<!パイ)トーチ|火炬",
    "Python": "파이썬|파이선|파이쏜|パイソン|派森|蟒蛇",
    "NumPy": "넘파이|ナンパイ|ナムパイ",
    "TensorFlow": "텐서플로우?|テンソルフロー|张量流",
    "Jupyter": "주피터|쥬피터|ジュピター|朱庇特|木星",
    "CUDA": "쿠다|クーダ|库达",
    "GPU": "지피유|그래픽 ?카드|ジーピーユー|グラフィックカード|显卡|图形处理器",
    "CPU": "씨피유|시피유|シーピーユー|中央处理器",
    "NCCL": "엔씨씨엘|니클|ニックル|ニッケル",
    "Gloo": "글루|グルー(?!プ)|胶水",
    "MPI": "엠피아이|エムピーアイ",
    "DDP": "디디피|ディーディーピー",
    "NVIDIA": "엔비디아|앤비디아|エヌビディア|エンビディア|英伟达|辉达",
    "AMD": "에이엠디|エーエムディー|超微半导体",
    "Intel": "인텔|インテル|英特尔",
    "Mac": r"맥(?:의|에서|북|용|은|에)(?!\w)|マック|苹果",
    "macOS": "맥오에스|맥 오에스|マックオーエス",
    "Linux": "리눅스|リナックス|リヌックス",
    "Windows": "윈도우즈?|윈도(?!우)|ウィンドウズ|ウインドウズ|视窗|窗户",
    "Slurm": "슬럼|스럼|スラーム",
    "Slack": "슬랙|スラック",
    "Colab": "코랩|コラボ|コラブ",
    "GitHub": "깃허브|깃헙|ギットハブ",
    "Google": "구글|グーグル|谷歌",
    "Sphinx": "스핑크스|スフィンクス|狮身人面",
    "ImageNet": "이미지넷|이미지 넷|イメージネット|图像网",
    "AlexNet": "알렉스넷|アレックスネット",
    "ResNet": "레즈넷|레스넷|レズネット|レスネット",
    "DataParallel": "데이터패러럴|데이터 패러럴|데이터 패럴렐|データパラレル",
    "DistributedDataParallel": "분산데이터패러럴|ディストリビューテッド",
}

CLOSE, SHORT = 0.8, 3  # names that differ by a letter or two, if they have some


@rule("ko zh ja", "Use PyTorch.", "파이토치를 씁니다.", "PyTorch를 씁니다.")
def names(message: Message) -> Iterator[str]:
    """A name of a program, a library or a company is written as in English."""
    if message.is_plain or message.msgid == message.msgstr:
        return  # Sphinx's own translations spell names in letters
    if not (known := names_of(message)):
        return
    words, ours = latin_words(message.english), latin_words(message.prose)
    kept = latin_words(unicodedata.normalize("NFKC", message.msgstr))
    for name in sorted(known):
        spelled = IN_LETTERS.get(name)
        match = re.search(spelled, message.prose) if spelled else None
        if match and match[0] not in message.msgid:
            yield f"{match[0]} (write {name}, as in English)"
        elif other := {w for w in ours - words if is_other(w, name)}:
            yield f"{sorted(other)[0]} (write {name}, as in English)"
        elif name not in kept:
            yield f"{name} is lost (write it as in English)"


def names_of(message: Message) -> set[str]:
    candidates = {without_plural_s(match) for match in NAME.findall(message.english)}
    # a title begins with a capital, whatever its first word is
    links = (link.astext().split() for link in message.source.findall(nodes.reference))
    first = {words[0] for words in links if words and words[0].istitle()}
    return candidates - first - set(NO_NAMES.split())


def latin_words(text: str) -> set[str]:
    """Return the words in Latin letters, whole and as parts of others."""
    whole = re.findall(r"[A-Za-z0-9][\w.-]*", text, re.ASCII)
    # of GPU1台, too, GPU is a part
    pieces = (r"[A-Za-z0-9]+", r"[A-Za-z]+")
    parts = (x for word in whole for piece in pieces for x in re.findall(piece, word))
    return {without_plural_s(word.rstrip(".-")) for word in [*whole, *parts]}


def without_plural_s(name: str) -> str:
    """Return GPU for GPUs."""
    return re.sub(r"(?<=[A-Z]{2})s$", "", name)


def is_other(word: str, name: str) -> bool:
    """Return whether a word is a name in other letters: Pytorch, or PyTroch."""
    if word == name or word.lower() == name.lower():
        return word != name
    close = SequenceMatcher(None, word, name).ratio() > CLOSE
    return close and min(len(word), len(name)) > SHORT and word.lower() != word
