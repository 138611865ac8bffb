# 갤러리: tutorials/part/plot_rows (한국어). 이 페이지는 85% 번역되었습니다. 나머지는 영어로 표시됩니다.
"""
장치마다 놓인 행
================

행은 열, 장치는 둘.
"""

import matplotlib.pyplot as plt

seconds = 0.25
places = ["first", "last"]
# %%
# 장치들이 행을 나눕니다.
fig, ax = plt.subplots(
    figsize=(7, 3),
    label='Bars: "first" <b> *has* \\ 6 rows & '
    "last has 4.",
)
ax.bar(places, [6, 4], label="rows on the device")
ax.axhline(5, color="C1", label=f"took {seconds} s")
ax.set(xlabel="all_reduce", ylabel="Rows")
ax.text(0, 1, "two\nlines")
ax.text(1, 1, "as it is", gid="kept")
ax.legend(loc="upper right")
# %%
# 이름 없는 그림.
_ = plt.subplots()
# %%
# 그림 둘, 저마다의 설명.
#
# .. alt-text:: 첫 그림에는 선이 없다.
#
# .. alt-text:: Nobody translated this.
_ = plt.subplots()
plt.subplots()[1].set(title="a title")
print("drawn")
