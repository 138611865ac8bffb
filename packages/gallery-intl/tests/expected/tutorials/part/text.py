# Licence: public domain
# Authors: Jane Roe <jane@example.org>
# 갤러리: tutorials/part/text (한국어). 이 페이지는 92% 번역되었습니다. 나머지는 영어로 표시됩니다.
"""
=========================
 ``reST``의 모든 글 형식
=========================

.. meta::
   :description: 무엇에 관한 것인지

개요에는 ``code``가 있고 *강조*도 있으며, 두 줄보다 길어서 여든여덟 칸을 넘기 때문에
다시 나뉘고, 각주 [#]_ 도 있습니다.

.. [#] 끝의 각주.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 text.py
"""

# %%
# 첫 단계
# -------
#
# :doc:`/tutorials/part/plain`와 `링크 <https://example.org/>`__를 보세요.
#
# - 첫째
# - 둘째
#
# 1. 번호 항목
#
# .. note::
#
#    ``x``를 보세요.
#
# .. admonition:: 고유한 제목
#
#    그 글.
#
# .. list-table:: 표 제목
#    :header-rows: 1
#
#    * - 이름
#      - 값
#    * - ``x``
#      - 숫자
#
# 용어
#    그리고 그 뜻.
#
# .. math:: y = x^2
#
# .. code-block:: python
#
#    z = 1  # 밑그림

# 두 줄짜리 주석입니다.
x = [1, 2]  # (batch, features)
y = "# no comment"  # 코드 옆의 *args 주석  # noqa: E501

# sphinx_gallery_thumbnail_number = 1
# sphinx_gallery_start_ignore
hidden = "not shown"  # 어느 페이지에도 없음
# sphinx_gallery_end_ignore
if x:
    # 코드 옆의 *args 주석
    y += "."


def f():
    """A docstring is code."""
    # - 항목
    # - an item that stays English
    return "A comment."


# 자세한 것은 `the paper
# <https://example.org/a/very/long/address/that/takes/nearly/a/line/of/its/own/in/it>`__
# 참고.
x += [3]

# %%
# .. rubric:: 작은 제목
#
# Nobody has translated this.
print(x)
# %%
# 마지막 말입니다.
