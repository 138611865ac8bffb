# 갤러리: tutorials/part/programs (한국어)
"""
두 프로그램
===========

글입니다.
"""
from pathlib import Path
folder = Path()

# %%
# 첫 번째 프로그램입니다.

# language=Python
(folder / "one.py").write_text("""\
import os

seed(0)

# 표본을 새로운 순서로 씁니다.
samples = load("<samples>")
shuffle(samples)  # 제자리에서

model = Model()


for epoch in range(5):
    step(model, samples)
save(model)
""", encoding="utf-8")

# %%
# 바뀌는 것
# ---------
#
# .. diff:: one.py two.py
#
#    나는 누구?
#       각 프로세스는 시작할 때 ``RANK``를 받습니다. 이것은 숫자이고, 그중 첫 번째
#       숫자는 0입니다. 두 줄이 되도록 조금 더 씁니다.
#
#    표본의 몫
#       각 프로세스는 하나씩 건너뛰며 표본을 가져갑니다.
#
#    하나의 모델
#       그래디언트의 평균을 냅니다.
#
#       둘째 문단입니다.
#
#    하나의 파일
#       한 프로세스만 씁니다.

# %%
# 두 번째 프로그램입니다.

# language=Python
(folder / "two.py").write_text("""\
import os

rank = int(os.environ["RANK"])
seed(0)

# 표본을 새로운 순서로 씁니다.
samples = load("<samples>")[rank::2]
shuffle(samples)  # 제자리에서

model = Model()
model = Average(model)


for epoch in range(5):
    step(model, samples)
# 첫 번째 프로세스만 파일을 쓰고 다른 프로세스는 아무것도 쓰지 않고 기다립니다. 그래서
# 이 줄은 깁니다.
if rank == 0:
    save(model)
""", encoding="utf-8")
