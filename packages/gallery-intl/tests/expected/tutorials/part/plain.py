# 갤러리: tutorials/part/plain (한국어). 이 페이지는 66% 번역되었습니다. 나머지는 영어로 표시됩니다.
r"""다른 페이지
===========

It has one sentence.
"""

# 하나뿐인 블록.
print("other")
